#pragma once
#include "alula/ops/batching.h"

namespace alula {

struct ArgReduceOptions {
  int64_t axis = 0;
  DType output_type = int64;  // or int32
};
Attributes attributes_of(const ArgReduceOptions& options);

/// Where the largest element along an axis is; of equal ones, the first. Numbers and bool. NaN is
/// never the largest (TensorFlow's rule; NumPy's is that it always is); if there is nothing else it
/// is 0.
///   argmax({{1, 9, 3}, {4, 4, 2}}, {.axis = 1})  ->  {1, 0}
Tensor argmax(const Tensor& x, const ArgReduceOptions& options = {});

/// Where the smallest element along an axis is; otherwise like argmax.
///   argmin({{1, 9, 3}, {4, 4, 2}}, {.axis = 1})  ->  {0, 2}
Tensor argmin(const Tensor& x, const ArgReduceOptions& options = {});

/// The output of argmax and argmin, or an error naming `who`.
Spec infer_arg_reduce(const char* who, DTypeSet dtypes, const ArgReduceOptions& options,
                      const Spec& x);

/// The base of the ops behind these functions.
template <class Derived>
struct ArgReduceOp : OpOf<Derived>, ArgReduceOptions {
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr bool kDifferentiable = false;

  explicit ArgReduceOp(const ArgReduceOptions& options = {}) : ArgReduceOptions(options) {}
  Specs infer(SpecRefs inputs) const override {
    return {infer_arg_reduce(Derived::kName, kDTypes, *this, inputs[0])};
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

struct ArgMax final : ArgReduceOp<ArgMax> {
  static constexpr const char* kName = "argmax";
  using ArgReduceOp::ArgReduceOp;
};
struct ArgMin final : ArgReduceOp<ArgMin> {
  static constexpr const char* kName = "argmin";
  using ArgReduceOp::ArgReduceOp;
};

}  // namespace alula
