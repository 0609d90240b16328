#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

struct TopKResult {
  Tensor values;
  Tensor indices;  // int32
};

/// The k largest elements of each row, largest first, and where they stood. Of equal ones the first
/// counts as larger; NaN as smaller than all. x: [..., n], numbers; values and indices: [..., k].
///   top_k({1, 9, 5, 9}, 3)  ->  values {9, 9, 5}, indices {1, 3, 2}
TopKResult top_k(const Tensor& x, int64_t k = 1);

/// Whether each target is among the k classes with the largest predictions; a tie at the border
/// counts. False where the target is no class, or a prediction of the row is not finite. targets:
/// [batch], int32 or int64; predictions: [batch, classes], floating; result: bool[batch].
///   in_top_k({1, 2}, {{0.f, 5.f, 1.f}, {3.f, 2.f, 1.f}}, 2)  ->  {true, false}
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);

/// What choosing some elements of each row does to gradients: zeros [..., n], with the updates
/// added where they came from. indices, updates: [..., k].
///   scatter_in_rows({{2, 0}}, {{10.f, 20.f}}, 3)  ->  {{20, 0, 10}}
Tensor scatter_in_rows(const Tensor& indices, const Tensor& updates, int64_t n);

struct TopK final : OpOf<TopK> {
  static constexpr const char* kName = "top_k";
  static constexpr DTypeSet kDTypes = kNumeric;

  int64_t k = 1;

  explicit TopK(int64_t k = 1) : k(k) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {1}}; }
};

struct InTopK final : OpOf<InTopK> {
  static constexpr const char* kName = "in_top_k";
  static constexpr DTypeSet kDTypes = kFloating;
  static constexpr bool kDifferentiable = false;

  int64_t k = 1;

  explicit InTopK(int64_t k = 1) : k(k) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

}  // namespace alula
