#include "alula/ops/strings_compare.h"

#include "alula/ops/attributes.h"

namespace alula {
namespace {

const RegisterOp<StringEqual> registered_equal;
const RegisterOp<StringWhere> registered_where;

}  // namespace

Specs StringEqual::infer(SpecRefs inputs) const {
  strings::require_strings(name(), inputs);
  return {{boolean, broadcast(name(), inputs[0].shape, inputs[1].shape)}};
}

Tensors StringEqual::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return call_all(*this, batching::aligned(inputs));
}

Attributes StringEqual::attributes() const {
  Attributes attributes;
  add_unless(false, attributes, "negate", negate);
  return attributes;
}

Tensors StringEqual::run_on_host(TensorRefs inputs) const {
  const Shape shape = broadcast(name(), inputs[0].shape(), inputs[1].shape());
  const std::vector<int64_t> a = strings::broadcast_indices(inputs[0].shape(), shape),
                             b = strings::broadcast_indices(inputs[1].shape(), shape);
  Tensor output = Tensor::uninitialized({boolean, shape});
  auto* to = static_cast<bool*>(output.mutable_data());
  const auto left = inputs[0].span<std::string>(), right = inputs[1].span<std::string>();
  for (size_t i = 0; i < a.size(); ++i)
    to[i] = (left[static_cast<size_t>(a[i])] == right[static_cast<size_t>(b[i])]) != negate;
  return {output};
}

Specs StringWhere::infer(SpecRefs inputs) const {
  require(inputs[0].dtype == boolean && inputs[1].dtype == string && inputs[2].dtype == string,
          "{}: takes a bool condition and strings. Got {}.", name(), inputs);
  const Shape shape = broadcast(name(), inputs[1].shape, inputs[2].shape);
  return {{string, broadcast(name(), inputs[0].shape, shape)}};
}

Tensors StringWhere::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return call_all(*this, batching::aligned(inputs));
}

Tensors StringWhere::run_on_host(TensorRefs inputs) const {
  const Shape shape =
      broadcast(name(), inputs[0].shape(), broadcast(name(), inputs[1].shape(), inputs[2].shape()));
  std::vector<std::vector<int64_t>> indices;
  for (size_t i = 0; i < 3; ++i)
    indices.push_back(strings::broadcast_indices(inputs[i].shape(), shape));
  Tensor output = Tensor::uninitialized({string, shape});
  auto* to = static_cast<std::string*>(output.mutable_data());
  const auto condition = inputs[0].span<bool>();
  for (size_t i = 0; i < indices[0].size(); ++i) {
    const size_t which = condition[static_cast<size_t>(indices[0][i])] ? 1 : 2;
    to[i] = inputs[which].span<std::string>()[static_cast<size_t>(indices[which][i])];
  }
  return {output};
}

bool strings::is_function(std::string_view name) {
  return name == "equal" || name == "not_equal" || name == "where";
}

Tensor strings::call_function(std::string_view name, const Tensor& a, const Tensor& b) {
  StringEqual op;
  op.negate = name == "not_equal";
  return call(op, a, b);
}

Tensor strings::call_function(std::string_view, const Tensor& a, const Tensor& b, const Tensor& c) {
  return call(StringWhere(), a, b, c);
}

Tensor operator==(const Tensor& a, std::string_view b) {
  return strings::call_function("equal", a, Tensor(b));
}
Tensor operator!=(const Tensor& a, std::string_view b) {
  return strings::call_function("not_equal", a, Tensor(b));
}

}  // namespace alula
