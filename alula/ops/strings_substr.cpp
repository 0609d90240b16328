#include "alula/ops/strings_substr.h"

#include <algorithm>

#include "alula/ops/attributes.h"
#include "alula/ops/tile.h"

namespace alula {
namespace {

using strings::Unit;

const RegisterOp<StringLength> registered_length;
const RegisterOp<Substr> registered_substr;

/// Whether a byte goes on with a character of UTF-8.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// `count` characters on from a position, or back if it is negative; false if the text ends first.
bool move(std::string_view text, Unit unit, int64_t count, size_t& at) {
  if (unit == Unit::kByte) {
    const auto before = static_cast<int64_t>(at), behind = static_cast<int64_t>(text.size() - at);
    if (count < -before || count > behind) return false;
    at = static_cast<size_t>(before + count);
    return true;
  }
  for (; count > 0; --count) {
    if (at == text.size()) return false;
    do ++at;
    while (at < text.size() && continues(text[at]));
  }
  for (; count < 0; ++count) {
    if (at == 0) return false;
    do --at;
    while (at > 0 && continues(text[at]));
  }
  return true;
}

}  // namespace

Unit::Unit(std::string_view word) {
  require(word == "BYTE" || word == "UTF8_CHAR",
          "strings: the unit must be BYTE or UTF8_CHAR. Got {}.", shown(word));
  kind = word == "BYTE" ? kByte : kUtf8Char;
}

std::string strings::to_string(Unit unit) { return unit == Unit::kByte ? "BYTE" : "UTF8_CHAR"; }

Attributes StringLength::attributes() const { return {{"unit", unit}}; }

Tensors StringLength::run_on_host(TensorRefs inputs) const {
  return {strings::map_texts<int32_t>(inputs[0], [&](const std::string& text) {
    const auto count = unit == Unit::kByte ? static_cast<int64_t>(text.size())
                                           : std::count_if(text.begin(), text.end(),
                                                           [](char c) { return !continues(c); });
    require(count <= std::numeric_limits<int32_t>::max(), "{}: a text is too long for int32.",
            name());
    return static_cast<int32_t>(count);
  })};
}

Tensor strings::length(const Tensor& input, const UnitOptions& options) {
  StringLength op;
  op.unit = options.unit;
  return call(op, input);
}

Specs Substr::infer(SpecRefs inputs) const {
  require(inputs[0].dtype == string, "{}: takes strings. Got {}.", name(), inputs);
  const Spec &pos = inputs[1], &len = inputs[2];
  require((pos.dtype == int32 || pos.dtype == int64) && len.dtype == pos.dtype,
          "{}: pos and len must both be int32, or int64. Got {}.", name(), inputs);
  require(compatible(pos.shape, len.shape), "{}: pos and len must have the same shape. Got {}.",
          name(), inputs);
  return {{string, broadcast(name(), inputs[0].shape, pos.shape)}};
}

/// Positions and lengths keep having the same shape.
Tensors Substr::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const bool both = inputs[1].batched || inputs[2].batched;
  const BatchedInput all[] = {inputs[0],
                              {both ? batching::repeated(inputs[1], size) : inputs[1].value, both},
                              {both ? batching::repeated(inputs[2], size) : inputs[2].value, both}};
  return call_all(*this, batching::aligned(all));
}

Attributes Substr::attributes() const { return {{"unit", unit}}; }

Tensors Substr::run_on_host(TensorRefs inputs) const {
  const Shape shape = broadcast(name(), inputs[0].shape(), inputs[1].shape());
  const std::vector<int64_t> texts = strings::broadcast_indices(inputs[0].shape(), shape),
                             numbers = strings::broadcast_indices(inputs[1].shape(), shape);
  const auto number_at = [](const Tensor& tensor, int64_t i) -> int64_t {
    return tensor.dtype() == int32 ? tensor.span<int32_t>()[static_cast<size_t>(i)]
                                   : tensor.span<int64_t>()[static_cast<size_t>(i)];
  };
  Tensor output = Tensor::uninitialized({string, shape});
  auto* to = static_cast<std::string*>(output.mutable_data());
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = inputs[0].span<std::string>()[static_cast<size_t>(texts[i])];
    const int64_t pos = number_at(inputs[1], numbers[i]), len = number_at(inputs[2], numbers[i]);
    size_t begin = pos < 0 ? text.size() : 0;
    require(move(text, unit, pos, begin), "{}: position {} is outside of {} (element {}).", name(),
            pos, strings::shown(text), i);
    size_t end = begin;
    if (len < 0 || !move(text, unit, len, end)) end = text.size();
    to[i].assign(text, begin, end - begin);
  }
  return {output};
}

Tensor strings::substr(const Tensor& input, const Argument& pos, const Argument& len,
                       const UnitOptions& options) {
  Substr op;
  op.unit = options.unit;
  const DType dtype =
      pos.is_number() && len.is_number() ? int64 : common_dtype(op.kName, {&pos, &len});
  const Tensor start = pos.as(dtype, op.kName), size = len.as(dtype, op.kName);
  // A number beside a tensor goes with all of its elements.
  if (start.rank() == size.rank() || !(pos.is_number() || len.is_number()))
    return call(op, input, start, size);
  return pos.is_number() ? call(op, input, broadcast_to(start, size.shape()), size)
                         : call(op, input, start, broadcast_to(size, start.shape()));
}

}  // namespace alula
