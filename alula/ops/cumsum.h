#pragma once
#include "alula/ops/batching.h"

namespace alula {

struct CumulativeOptions {
  int64_t axis = 0;
  bool exclusive = false;  // an element's result leaves out the element itself
  bool reverse = false;    // from the end of the axis to its beginning
};
Attributes attributes_of(const CumulativeOptions& options);

/// The sum of each element and all before it along an axis. Numbers; integers wrap around.
///   cumsum({1, 2, 3})                       ->  {1, 3, 6}
///   cumsum({1, 2, 3}, {.exclusive = true})  ->  {0, 1, 3}
///   cumsum({1, 2, 3}, {.reverse = true})    ->  {6, 5, 3}
Tensor cumsum(const Tensor& x, const CumulativeOptions& options = {});

/// The product of each element and all before it along an axis. Numbers; integers wrap around.
///   cumprod({2, 3, 4})  ->  {2, 6, 24}
Tensor cumprod(const Tensor& x, const CumulativeOptions& options = {});

/// The base of the ops behind these functions.
template <class Derived>
struct CumulativeOp : OpOf<Derived>, CumulativeOptions {
  static constexpr DTypeSet kDTypes = kNumeric;

  explicit CumulativeOp(const CumulativeOptions& options = {}) : CumulativeOptions(options) {}
  Specs infer(SpecRefs inputs) const override {
    const Spec& x = inputs[0];
    require(kDTypes.contains(x.dtype), "{}: takes {}. Got {}.", Derived::kName, kDTypes, x);
    normalize_axis(Derived::kName, axis, x.rank());
    return {x};
  }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t) const override {
    return batching::with_axis_behind(static_cast<const Derived&>(*this), inputs[0]);
  }
  Attributes attributes() const override { return attributes_of(*this); }
};

struct CumSum final : CumulativeOp<CumSum> {
  static constexpr const char* kName = "cumsum";
  using CumulativeOp::CumulativeOp;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};
struct CumProd final : CumulativeOp<CumProd> {
  static constexpr const char* kName = "cumprod";
  using CumulativeOp::CumulativeOp;
  /// As in TensorFlow, 0 with respect to an element that is 0.
  Gradients gradient(const Recorded& call) const override;
};

}  // namespace alula
