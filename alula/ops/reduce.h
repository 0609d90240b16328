#pragma once
#include "alula/ops/batching.h"

namespace alula {

struct ReduceOptions {
  Axes axis;              // all of them unless given
  bool keepdims = false;  // whether the reduced dimensions stay, with size 1
};
Attributes attributes_of(const ReduceOptions& options);

/// The sum along some axes. Numbers; integers wrap around. Of nothing it is 0.
///   reduce_sum({{1, 2}, {3, 4}})               ->  10
///   reduce_sum({{1, 2}, {3, 4}}, {.axis = 0})  ->  {4, 6}
Tensor reduce_sum(const Tensor& x, const ReduceOptions& options = {});

/// The mean along some axes. Numbers; an integer's is rounded towards zero, and its sum does not
/// wrap around below 64 bits. Of nothing it is NaN, or 0 for integers.
///   reduce_mean({{1.f, 2.f}, {3.f, 4.f}}, {.axis = 1})  ->  {1.5, 3.5}
Tensor reduce_mean(const Tensor& x, const ReduceOptions& options = {});

/// The product along some axes. Numbers; integers wrap around. Of nothing it is 1.
///   reduce_prod({2, 3, 4})  ->  24
Tensor reduce_prod(const Tensor& x, const ReduceOptions& options = {});

/// The largest element along some axes; NaN if one is NaN. Numbers. Of nothing it is minus
/// infinity, or the least integer.
///   reduce_max({{1, 7}, {3, 4}}, {.axis = 1, .keepdims = true})  ->  {{7}, {4}}
Tensor reduce_max(const Tensor& x, const ReduceOptions& options = {});

/// The smallest element along some axes; NaN if one is NaN. Numbers. Of nothing it is infinity, or
/// the largest integer.
///   reduce_min({{1, 7}, {3, 4}}, {.axis = 1})  ->  {1, 3}
Tensor reduce_min(const Tensor& x, const ReduceOptions& options = {});

/// Whether some element along the axes is true. Bools. Of nothing it is false.
///   reduce_any({{true, false}, {false, false}}, {.axis = 1})  ->  {true, false}
Tensor reduce_any(const Tensor& x, const ReduceOptions& options = {});

/// Whether every element along the axes is true. Bools. Of nothing it is true.
///   reduce_all({{true, false}, {true, true}}, {.axis = 1})  ->  {false, true}
Tensor reduce_all(const Tensor& x, const ReduceOptions& options = {});

/// What is left of a shape when some of its dimensions are reduced.
Shape reduced_shape(const char* who, const Shape& shape, const ReduceOptions& options);

/// The base of the ops behind these functions.
template <class Derived>
struct ReduceOp : OpOf<Derived>, ReduceOptions {
  explicit ReduceOp(const ReduceOptions& options = {}) : ReduceOptions(options) {}

  Specs infer(SpecRefs inputs) const override {
    const Spec& x = inputs[0];
    require(Derived::kDTypes.contains(x.dtype), "{}: takes {}. Got {}. Use cast().", Derived::kName,
            Derived::kDTypes, x);
    return {x.with(reduced_shape(Derived::kName, x.shape, *this))};
  }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t) const override {
    return batching::with_axis_behind(static_cast<const Derived&>(*this), inputs[0]);
  }
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override {
    Cost cost = Op::cost(inputs, outputs);
    cost.flops = static_cast<double>(inputs[0].shape.size());
    return cost;
  }
};

struct ReduceSum final : ReduceOp<ReduceSum> {
  static constexpr const char* kName = "reduce_sum";
  static constexpr DTypeSet kDTypes = kNumeric;
  using ReduceOp::ReduceOp;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};
struct ReduceMean final : ReduceOp<ReduceMean> {
  static constexpr const char* kName = "reduce_mean";
  static constexpr DTypeSet kDTypes = kNumeric;
  using ReduceOp::ReduceOp;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};
struct ReduceProd final : ReduceOp<ReduceProd> {
  static constexpr const char* kName = "reduce_prod";
  static constexpr DTypeSet kDTypes = kNumeric;
  using ReduceOp::ReduceOp;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.outputs = {}}; }
};
struct ReduceMax final : ReduceOp<ReduceMax> {
  static constexpr const char* kName = "reduce_max";
  static constexpr DTypeSet kDTypes = kNumeric;
  using ReduceOp::ReduceOp;
  Gradients gradient(const Recorded& call) const override;
};
struct ReduceMin final : ReduceOp<ReduceMin> {
  static constexpr const char* kName = "reduce_min";
  static constexpr DTypeSet kDTypes = kNumeric;
  using ReduceOp::ReduceOp;
  Gradients gradient(const Recorded& call) const override;
};
struct ReduceAny final : ReduceOp<ReduceAny> {
  static constexpr const char* kName = "reduce_any";
  static constexpr DTypeSet kDTypes = boolean;
  static constexpr bool kDifferentiable = false;
  using ReduceOp::ReduceOp;
};
struct ReduceAll final : ReduceOp<ReduceAll> {
  static constexpr const char* kName = "reduce_all";
  static constexpr DTypeSet kDTypes = boolean;
  static constexpr bool kDifferentiable = false;
  using ReduceOp::ReduceOp;
};

}  // namespace alula
