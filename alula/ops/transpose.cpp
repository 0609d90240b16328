#include "alula/ops/transpose.h"

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<Transpose> registered;

}  // namespace

Tensor transpose(const Tensor& x, const Axes& perm) { return call(Transpose(perm), x); }

Ints Transpose::order(int rank) const {
  Ints order;
  if (perm.all())
    for (int i = rank - 1; i >= 0; --i) order.push_back(i);
  else
    for (const int64_t axis : perm.given()) order.push_back(axis < 0 ? axis + rank : axis);
  return order;
}

Specs Transpose::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  perm.among(kName, x.rank());
  const Ints order = this->order(x.rank());
  require(order.size() == static_cast<size_t>(x.rank()),
          "{}: perm must name each dimension once. Got perm {} for {}.", kName, order, x);
  Shape shape;
  for (const int64_t axis : order) shape.push_back(x.shape[static_cast<int>(axis)]);
  return {x.with(shape)};
}

Gradients Transpose::gradient(const Recorded& call) const {
  const Ints order = this->order(call.input_spec().rank());
  Ints inverse = order;
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
  return {transpose(call.dy(), Axes(std::span<const int64_t>(inverse)))};
}

Tensors Transpose::batched(std::span<const BatchedInput> inputs, int64_t) const {
  std::vector<int64_t> wider{0};
  for (int64_t axis : order(batching::element_shape(inputs[0]).rank())) wider.push_back(axis + 1);
  return {transpose(inputs[0].value, wider)};
}

Attributes Transpose::attributes() const { return {{"perm", perm}}; }

}  // namespace alula
