#pragma once
#include <limits>

#include "alula/ops/data_movement.h"

namespace alula {

/// What positions are counted in.
inline constexpr DTypeSet kIndexTypes{int32, int64};

struct GatherOptions {
  /// The first one behind the batch dimensions, unless set.
  static constexpr int64_t kBehindBatch = std::numeric_limits<int64_t>::min();

  int64_t axis = kBehindBatch;
  int64_t batch_dims = 0;  // leading dimensions that params and indices share
};
Attributes attributes_of(const GatherOptions& options);

/// The slices of `params` at `indices` (int32 or int64) along an axis.
/// params: [batch..., before..., n, after...], indices: [batch..., chosen...],
/// result: [batch..., before..., chosen..., after...].
///   gather({{1, 2}, {3, 4}, {5, 6}}, {2, 0})      ->  {{5, 6}, {1, 2}}
///   gather({{1, 2}, {3, 4}}, {1}, {.axis = 1})    ->  {{2}, {4}}
Tensor gather(const Tensor& params, const Tensor& indices, const GatherOptions& options = {});

struct GatherNdOptions {
  int64_t batch_dims = 0;  // leading dimensions that params and indices share
};

/// The slices of `params` at positions given by the last dimension of `indices`.
/// params: [n1, …, nk, after...], indices: [chosen..., k], result: [chosen..., after...].
///   gather_nd({{1, 2}, {3, 4}}, {{0, 1}, {1, 0}})  ->  {2, 3}
Tensor gather_nd(const Tensor& params, const Tensor& indices, const GatherNdOptions& options = {});

/// The op behind `gather`.
struct Gather final : OpOf<Gather>, GatherOptions {
  static constexpr const char* kName = "gather";
  static constexpr DTypeSet kDTypes = kAnyType;

  explicit Gather(const GatherOptions& options = {}) : GatherOptions(options) {}
  /// The number of batch dimensions, and the axis: counted from the start, and checked.
  int batch(const Spec& params, const Spec& indices) const;
  int along(const Spec& params, int batch) const;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {1}, .outputs = {}}; }
};

/// The op behind `gather_nd`.
struct GatherNd final : OpOf<GatherNd>, GatherNdOptions {
  static constexpr const char* kName = "gather_nd";
  static constexpr DTypeSet kDTypes = kAnyType;

  explicit GatherNd(const GatherNdOptions& options = {}) : GatherNdOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {1}, .outputs = {}}; }
};

}  // namespace alula
