#include "alula/ops/gather.h"

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/concat.h"
#include "alula/ops/operators.h"
#include "alula/ops/range.h"
#include "alula/ops/reshape.h"
#include "alula/ops/scatter_nd.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"

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

namespace {

/// The numbers 0, step, 2 step, … for the entries of a batch, as int64[batch, 1, …].
Tensor batch_offsets(int64_t batch, int64_t step, int rank) {
  Shape shape{batch};
  while (shape.rank() < rank) shape.push_back(1);
  return reshape(range(0, batch * step, step, int64), shape);
}

}  // namespace

/// The rows of dy are added to zeros of the shape of params. A batch is one longer axis, whose
/// parts the indices of an entry are moved to; dimensions before the axis go behind it for a while.
Gradients Gather::gradient(const Recorded& call) const {
  const Spec &params = call.input_spec(0), &indices = call.input_spec(1);
  const Shape& from = params.shape;
  const int batch = this->batch(params, indices), along = this->along(params, batch);
  const int64_t entries = from.slice(0, batch).size(), before = from.slice(batch, along).size(),
                size = from[along], after = from.slice(along + 1, from.rank()).size(),
                chosen = indices.shape.slice(batch, indices.rank()).size();
  Tensor at = call.input(1), rows = call.dy();
  if (batch > 0)
    at = cast(reshape(at, {entries, chosen}), int64) +
         batch_offsets(entries, std::max<int64_t>(size, 1), 2);
  if (before != 1) rows = transpose(reshape(rows, {entries, before, chosen, after}), {0, 2, 1, 3});
  const int64_t row = before * after;
  Tensor dx = scatter_nd(reshape(at, {entries * chosen, 1}), reshape(rows, {entries * chosen, row}),
                         {entries * size, row});
  if (before != 1) dx = transpose(reshape(dx, {entries, size, before, after}), {0, 2, 1, 3});
  return {reshape(dx, from), Tensor()};
}

/// The slices of dy are added to zeros of the shape of params. The place in a batch becomes one
/// more position of each index.
Gradients GatherNd::gradient(const Recorded& call) const {
  const Shape& from = call.input_spec(0).shape;
  const Tensor& indices = call.input(1);
  if (batch_dims == 0) return {scatter_nd(indices, call.dy(), from), Tensor()};
  const auto batch = static_cast<int>(batch_dims);
  const Shape& at = indices.shape();
  const auto depth = static_cast<int>(at.back());
  const int64_t entries = from.slice(0, batch).size(),
                chosen = at.slice(batch, at.rank() - 1).size();
  const Tensor entry = cast(batch_offsets(entries, 1, 3), indices.dtype());
  const Tensor positions = concat(
      {broadcast_to(entry, {entries, chosen, 1}), reshape(indices, {entries, chosen, at.back()})},
      2);
  const Tensor slices =
      reshape(call.dy(), Shape{entries, chosen} + from.slice(batch + depth, from.rank()));
  const Shape flat = Shape{entries} + from.slice(batch, from.rank());
  return {reshape(scatter_nd(positions, slices, flat), from), Tensor()};
}

/// Where both differ from call to call, there is one more batch dimension. Where one does, its new
/// dimension goes behind those of the batch, and comes back to the front of the result.
Tensors Gather::batched(std::span<const BatchedInput> inputs, int64_t) const {
  const BatchedInput &params = inputs[0], &indices = inputs[1];
  const Spec from = params.value.spec().with(batching::element_shape(params));
  const Spec chosen = indices.value.spec().with(batching::element_shape(indices));
  const int batch = this->batch(from, chosen), along = this->along(from, batch);
  if (params.batched && indices.batched)
    return {gather(params.value, indices.value, {.axis = along + 1, .batch_dims = batch + 1})};
  if (params.batched)
    return {batching::moved_axis(gather(batching::moved_axis(params.value, 0, batch), indices.value,
                                        {.axis = along + 1, .batch_dims = batch}),
                                 batch, 0)};
  return {batching::moved_axis(gather(params.value, batching::moved_axis(indices.value, 0, batch),
                                      {.axis = along, .batch_dims = batch}),
                               along, 0)};
}

Tensors GatherNd::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const BatchedInput &params = inputs[0], &indices = inputs[1];
  if (params.batched)
    return {
        gather_nd(params.value, batching::repeated(indices, size), {.batch_dims = batch_dims + 1})};
  const auto batch = static_cast<int>(batch_dims);
  return {batching::moved_axis(
      gather_nd(params.value, batching::moved_axis(indices.value, 0, batch), *this), batch, 0)};
}

Attributes GatherNd::attributes() const { return {{"batch_dims", batch_dims}}; }

Attributes attributes_of(const GatherOptions& options) {
  Attributes attributes;
  add_unless(GatherOptions::kBehindBatch, attributes, "axis", options.axis);
  add_unless(0, attributes, "batch_dims", options.batch_dims);
  return attributes;
}

}  // namespace alula
