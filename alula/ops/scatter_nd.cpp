#include "alula/ops/scatter_nd.h"

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

}  // namespace alula
