#pragma once
#include "alula/ops/gather.h"

namespace alula {

/// Zeros of a shape, with slices added at positions given by the last dimension of `indices` (int32
/// or int64). What is added to one place twice adds up (for bool: or). indices: [chosen..., k],
/// updates: [chosen..., after...], shape: [n1, …, nk, after...].
///   scatter_nd({{1}, {3}, {1}}, {10, 20, 5}, {4})  ->  {0, 15, 0, 20}
Tensor scatter_nd(const Tensor& indices, const Tensor& updates, const Shape& shape);

/// The op behind `scatter_nd`.
struct ScatterNd final : OpOf<ScatterNd> {
  static constexpr const char* kName = "scatter_nd";
  static constexpr DTypeSet kDTypes = kNumericOrBool;

  Shape shape;

  explicit ScatterNd(const Shape& shape) : shape(shape) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {0}, .outputs = {}}; }
};

}  // namespace alula
