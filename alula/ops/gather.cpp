#include "alula/ops/gather.h"

namespace alula {
namespace {

const RegisterOp<Gather> registered_gather;
const RegisterOp<GatherNd> registered_gather_nd;

void check_indices(const char* who, const Spec& params, const Spec& indices) {
  require(kIndexTypes.contains(indices.dtype),
          "{}: the indices must be int32 or int64. Got params {}, indices {}. Use cast().", who,
          params, indices);
}

/// The leading dimensions that both share; each takes over the size that the other knows.
Shape shared_batch(const char* who, const Spec& params, const Spec& indices, int batch) {
  Shape shape;
  for (int i = 0; i < batch; ++i) {
    const int64_t a = params.shape[i], b = indices.shape[i];
    require(a == b || a == kUnknown || b == kUnknown,
            "{}: batch dimension {} differs. Got params {}, indices {}.", who, i, params, indices);
    shape.push_back(a == kUnknown ? b : a);
  }
  return shape;
}

/// Reads the indices, and as much of params as it writes.
Cost gathering_cost(SpecRefs inputs, std::span<const Spec> outputs) {
  Cost cost = copying_cost(outputs);
  cost.bytes += static_cast<double>(inputs[1].bytes());
  return cost;
}

}  // namespace

Tensor gather(const Tensor& params, const Tensor& indices, const GatherOptions& options) {
  return call(Gather(options), params, indices);
}

Tensor gather_nd(const Tensor& params, const Tensor& indices, const GatherNdOptions& options) {
  return call(GatherNd(options), params, indices);
}

int Gather::batch(const Spec& params, const Spec& indices) const {
  const int64_t batch = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
  require(batch >= 0 && batch <= indices.rank() && batch < std::max(params.rank(), 1),
          "{}: batch_dims {} is out of range. Got params {}, indices {}.", kName, batch_dims,
          params, indices);
  return static_cast<int>(batch);
}

int Gather::along(const Spec& params, int batch) const {
  const int along = normalize_axis(kName, axis == kBehindBatch ? batch : axis, params.rank());
  require(along >= batch,
          "{}: the axis must follow the {} batch dimensions. Got axis {}, params {}.", kName, batch,
          axis, params);
  return along;
}

Specs Gather::infer(SpecRefs inputs) const {
  const Spec &params = inputs[0], &indices = inputs[1];
  check_indices(kName, params, indices);
  const int batch = this->batch(params, indices), along = this->along(params, batch);
  const Shape shape = shared_batch(kName, params, indices, batch);
  return {params.with(shape + params.shape.slice(batch, along) +
                      indices.shape.slice(batch, indices.rank()) +
                      params.shape.slice(along + 1, params.rank()))};
}

Specs GatherNd::infer(SpecRefs inputs) const {
  const Spec &params = inputs[0], &indices = inputs[1];
  check_indices(kName, params, indices);
  require(indices.rank() >= 1,
          "{}: the indices need at least 1 dimension. Got params {}, indices {}.", kName, params,
          indices);
  require(batch_dims >= 0 && batch_dims < indices.rank() && batch_dims <= params.rank(),
          "{}: batch_dims {} is out of range. Got params {}, indices {}.", kName, batch_dims,
          params, indices);
  const auto batch = static_cast<int>(batch_dims);
  const int64_t depth = indices.shape.back();
  require(depth != kUnknown, "{}: the last dimension of the indices must be known. Got {}.", kName,
          indices);
  require(
      depth <= params.rank() - batch,
      "{}: {} positions an index are more than params has dimensions. Got params {}, indices {}.",
      kName, depth, params, indices);
  const Shape shape = shared_batch(kName, params, indices, batch);
  return {params.with(shape + indices.shape.slice(batch, indices.rank() - 1) +
                      params.shape.slice(batch + static_cast<int>(depth), params.rank()))};
}

Cost Gather::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return gathering_cost(inputs, outputs);
}

Cost GatherNd::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return gathering_cost(inputs, outputs);
}

}  // namespace alula
