#include "alula/ops/scatter_nd.h"

#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/concat.h"
#include "alula/ops/range.h"
#include "alula/ops/reshape.h"
#include "alula/ops/tile.h"

namespace alula {
namespace {

const RegisterOp<ScatterNd> registered;

}  // namespace

Tensor scatter_nd(const Tensor& indices, const Tensor& updates, const Shape& shape) {
  return call(ScatterNd(shape), indices, updates);
}

Specs ScatterNd::infer(SpecRefs inputs) const {
  const Spec &indices = inputs[0], &updates = inputs[1];
  require(kIndexTypes.contains(indices.dtype),
          "{}: the indices must be int32 or int64. Got indices {}, updates {}. Use cast().", kName,
          indices, updates);
  if (!kDTypes.contains(updates.dtype))
    fail("{}: takes updates of {}. Got {}.", kName, to_string(kDTypes), updates);
  require(indices.rank() >= 1,
          "{}: the indices need at least 1 dimension. Got indices {}, updates {}.", kName, indices,
          updates);
  const int64_t depth = indices.shape.back();
  require(depth != kUnknown, "{}: the last dimension of the indices must be known. Got {}.", kName,
          indices);
  require(depth <= shape.rank(),
          "{}: {} positions an index are more than the shape {} has dimensions. Got indices {}.",
          kName, depth, shape, indices);
  const auto inner = shape.slice(static_cast<int>(depth), shape.rank());
  const int outer = indices.rank() - 1;
  const bool fits = updates.rank() == outer + inner.rank() &&
                    compatible(updates.shape.slice(0, outer), indices.shape.slice(0, outer)) &&
                    compatible(updates.shape.slice(outer, updates.rank()), inner);
  require(fits,
          "{}: the updates do not fit the indices and the shape {}. Got indices {}, updates {}.",
          kName, shape, indices, updates);
  return {updates.with(shape)};
}

Gradients ScatterNd::gradient(const Recorded& call) const {
  return {Tensor(), gather_nd(call.dy(), call.input(0))};
}

/// The number of a call becomes one more position of each of its indices.
Tensors ScatterNd::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const Tensor indices = batching::repeated(inputs[0], size);
  const Shape each = indices.shape().with(indices.rank() - 1, 1);
  Shape beside;
  for (int i = 0; i < each.rank(); ++i) beside.push_back(i == 0 ? size : 1);
  const Tensor calls = reshape(range(0, size, 1, indices.dtype()), beside);
  return {scatter_nd(concat({broadcast_to(calls, each), indices}, -1),
                     batching::repeated(inputs[1], size), Shape{size} + shape)};
}

Attributes ScatterNd::attributes() const { return {{"shape", shape}}; }

}  // namespace alula
