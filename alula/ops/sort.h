#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

enum class SortDirection : uint8_t { kAscending, kDescending };

struct SortOptions {
  int64_t axis = -1;
  SortDirection direction = SortDirection::kAscending;
};
Attributes attributes_of(const SortOptions& options);

/// The elements in order along an axis. Numbers. NaN comes last in either direction.
///   sort({3, 1, 2})                                             ->  {1, 2, 3}
///   sort({3, 1, 2}, {.direction = SortDirection::kDescending})  ->  {3, 2, 1}
Tensor sort(const Tensor& values, const SortOptions& options = {});

/// Where the elements of `sort` stood, as int32. Equal ones, and NaNs, keep their order. Numbers.
///   argsort({30, 10, 20, 10})  ->  {1, 3, 2, 0}
Tensor argsort(const Tensor& values, const SortOptions& options = {});

/// The base of the ops behind these functions.
template <class Derived>
struct SortOp : OpOf<Derived>, SortOptions {
  static constexpr DTypeSet kDTypes = kNumeric;

  explicit SortOp(const SortOptions& options = {}) : SortOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

struct Sort final : SortOp<Sort> {
  static constexpr const char* kName = "sort";
  using SortOp::SortOp;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.outputs = {}}; }
};
struct ArgSort final : SortOp<ArgSort> {
  static constexpr const char* kName = "argsort";
  static constexpr bool kDifferentiable = false;
  using SortOp::SortOp;
};

}  // namespace alula
