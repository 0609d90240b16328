#pragma once
#include "alula/ops/batching.h"

namespace alula {

struct SoftmaxOptions {
  int64_t axis = -1;
};
Attributes attributes_of(const SoftmaxOptions& options);

/// exp(x) / sum(exp(x)) along an axis, computed so that large elements do not overflow. Floating
/// types.
///   softmax({0.f, 0.f, 0.6931472f})  ->  {0.25, 0.25, 0.5}
Tensor softmax(const Tensor& logits, const SoftmaxOptions& options = {});

/// The logarithm of softmax, accurate also where softmax itself is almost 0. Floating types.
///   log_softmax({0.f, 0.f})  ->  {-0.6931472, -0.6931472}
Tensor log_softmax(const Tensor& logits, const SoftmaxOptions& options = {});

/// The base of the ops behind these functions.
template <class Derived>
struct SoftmaxOp : OpOf<Derived>, SoftmaxOptions {
  static constexpr DTypeSet kDTypes = kFloating;

  explicit SoftmaxOp(const SoftmaxOptions& options = {}) : SoftmaxOptions(options) {}
  Specs infer(SpecRefs inputs) const override {
    const Spec& logits = inputs[0];
    require(kDTypes.contains(logits.dtype), "{}: takes {}. Got {}. Use cast().", Derived::kName,
            kDTypes, logits);
    normalize_axis(Derived::kName, axis, logits.rank());
    return {logits};
  }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t) const override {
    return batching::with_axis_behind(static_cast<const Derived&>(*this), inputs[0]);
  }
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override {
    Cost cost = Op::cost(inputs, outputs);
    cost.flops *= kFlops;
    return cost;
  }
  Needs needs(IndexSet) const override { return {.inputs = {}}; }

 private:
  static constexpr double kFlops = 15;  // an element, most of them in exp
};

struct Softmax final : SoftmaxOp<Softmax> {
  static constexpr const char* kName = "softmax";
  using SoftmaxOp::SoftmaxOp;
  Gradients gradient(const Recorded& call) const override;
};
struct LogSoftmax final : SoftmaxOp<LogSoftmax> {
  static constexpr const char* kName = "log_softmax";
  using SoftmaxOp::SoftmaxOp;
  Gradients gradient(const Recorded& call) const override;
};

}  // namespace alula
