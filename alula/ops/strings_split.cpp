#include "alula/ops/strings_split.h"

#include <algorithm>

#include "alula/ops/attributes.h"
#include "alula/ops/tile.h"

namespace alula {
namespace {

const RegisterOp<StringSplit> registered_split;
const RegisterOp<StringJoin> registered_join;

using Pieces = std::vector<std::string_view>;

/// As TensorFlow does: after `most` splits the rest is a piece, even an empty one.
Pieces split_at_spaces(std::string_view text, int64_t most) {
  Pieces pieces;
  const auto skip_spaces = [&] {
    while (!text.empty() && strings::is_space(text.front())) text.remove_prefix(1);
  };
  skip_spaces();
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(), strings::is_space);
    const auto size = static_cast<size_t>(end - text.begin());
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
    skip_spaces();
    if (most > 0 && static_cast<int64_t>(pieces.size()) == most) {
      pieces.push_back(text);
      break;
    }
  }
  return pieces;
}

Pieces split_at(std::string_view text, std::string_view sep, int64_t most) {
  Pieces pieces;
  while (most < 0 || static_cast<int64_t>(pieces.size()) < most) {
    const size_t end = text.find(sep);
    if (end == std::string_view::npos) break;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + sep.size());
  }
  pieces.push_back(text);
  return pieces;
}

}  // namespace

Specs StringSplit::infer(SpecRefs inputs) const {
  strings::require_strings(name(), inputs);
  require(inputs[0].rank() < kMaxRank, "{}: the result would have more than {} dimensions. Got {}.",
          name(), kMaxRank, inputs);
  return {inputs[0].with(inputs[0].shape + Shape{kUnknown})};
}

/// In a loop: each element has as many pieces as it has, and those of all must be as many.
Tensors StringSplit::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

Attributes StringSplit::attributes() const {
  Attributes attributes{{"sep", strings::quoted(sep)}};
  add_unless(-1, attributes, "maxsplit", maxsplit);
  return attributes;
}

Tensors StringSplit::run_on_host(TensorRefs inputs) const {
  std::vector<Pieces> all;
  size_t most = 0;
  for (const std::string& text : inputs[0].span<std::string>()) {
    if (maxsplit == 0)
      all.push_back({text});
    else
      all.push_back(sep.empty() ? split_at_spaces(text, maxsplit) : split_at(text, sep, maxsplit));
    most = std::max(most, all.back().size());
  }
  const Shape shape = inputs[0].shape() + Shape{static_cast<int64_t>(most)};
  shape.checked_size(name(), sizeof(std::string));
  Tensor output = Tensor::uninitialized({string, shape});
  auto* to = static_cast<std::string*>(output.mutable_data());
  for (const Pieces& pieces : all) {
    std::copy(pieces.begin(), pieces.end(), to);
    to += most;
  }
  return {output};
}

Specs StringJoin::infer(SpecRefs inputs) const {
  strings::require_strings(name(), inputs);
  Shape shape;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].rank() == 0) continue;
    // TensorFlow broadcasts scalars alone; so does this, lest lists of different sizes be mixed up.
    require(shape.rank() == 0 || compatible(shape, inputs[i].shape),
            "{}: the inputs must have the same shape, or none. Got {}.", name(), inputs);
    if (shape.rank() == 0) shape = inputs[i].shape;
    for (int axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis] == kUnknown) shape[axis] = inputs[i].shape[axis];
  }
  return {{string, shape}};
}

Tensors StringJoin::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  Tensors values;
  int rank = 0;
  for (const BatchedInput& input : inputs)
    rank = std::max(rank, batching::element_shape(input).rank());
  for (const BatchedInput& input : inputs) {
    const Shape element = batching::element_shape(input);
    if (!input.batched && element.rank() == 0) {
      values.push_back(input.value);
      continue;
    }
    values.push_back(batching::repeated(input, size));
    if (element.rank() == rank) continue;
    // A scalar of each element beside tensors: it must have their shape to go with all of theirs.
    Shape shape;
    for (const BatchedInput& other : inputs)
      if (batching::element_shape(other).rank() == rank) shape = batching::element_shape(other);
    values.back() =
        broadcast_to(batching::with_element_rank(values.back(), rank), Shape{size} + shape);
  }
  return call_all(*this, values);
}

Attributes StringJoin::attributes() const { return {{"separator", strings::quoted(separator)}}; }

Tensors StringJoin::run_on_host(TensorRefs inputs) const {
  Shape shape;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].rank() > 0) shape = inputs[i].shape();
  Tensor output = Tensor::uninitialized({string, shape});
  auto* to = static_cast<std::string*>(output.mutable_data());
  for (int64_t k = 0; k < output.size(); ++k)
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0) to[k] += separator;
      to[k] += inputs[i].span<std::string>()[inputs[i].rank() == 0 ? 0 : static_cast<size_t>(k)];
    }
  return {output};
}

Tensor strings::split(const Tensor& input, std::string_view sep, const SplitOptions& options) {
  StringSplit op;
  op.sep = sep;
  op.maxsplit = options.maxsplit;
  return call(op, input);
}

Tensor strings::join(const std::vector<Tensor>& inputs, std::string_view separator) {
  StringJoin op;
  op.separator = separator;
  return call_all(op, inputs)[0];
}

}  // namespace alula
