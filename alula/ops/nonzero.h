#pragma once
#include "alula/ops/batching.h"
#include "alula/runtime/dispatch.h"

namespace alula {

/// Where the elements are that are true, or not 0: a row of coordinates for each, in order. What
/// TensorFlow calls tf.where with one argument. condition: numbers or bools of any rank, result:
/// int64 [found, rank]; how many there are is known when it has run.
///   nonzero({{true, false}, {false, true}})  ->  {{0, 0}, {1, 1}}
Tensor nonzero(const Tensor& condition);

struct BooleanMaskOptions {
  int64_t axis = 0;  // the first of x's dimensions that the mask covers
};

/// The parts of x where the mask, which covers some of its dimensions, is true.
/// x: [before..., covered..., after...], mask: bool [covered...], result: [before..., found,
/// after...]. The gradient flows to the parts taken.
///   boolean_mask({1, 2, 3}, {true, false, true})  ->  {1, 3}
Tensor boolean_mask(const Tensor& x, const Tensor& mask, const BooleanMaskOptions& options = {});

struct UniqueResult {
  Tensor y;      // each value once, in the order of their first places
  Tensor idx;    // for each element of x, where its value stands in y
  Tensor count;  // how many times each occurs
};

/// The different values of a vector, of any dtype. `out_idx` is the dtype of idx and count: int32
/// or int64.
///   unique({4, 1, 4}).y    ->  {4, 1}
///   unique({4, 1, 4}).idx  ->  {0, 1, 0}
UniqueResult unique(const Tensor& x, DType out_idx = int32);

struct NonZero final : OpOf<NonZero> {
  static constexpr const char* kName = "nonzero";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

struct Unique final : OpOf<Unique> {
  static constexpr const char* kName = "unique";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  DType out_idx = int32;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return {{"out_idx", out_idx}}; }
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
