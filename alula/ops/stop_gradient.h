#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// The tensor itself, as a constant: no gradient flows through it.
///   y = x * stop_gradient(x)    // dy/dx is x, not 2 x
Tensor stop_gradient(const Tensor& x);

/// The op behind `stop_gradient`.
struct StopGradient final : OpOf<StopGradient> {
  static constexpr const char* kName = "stop_gradient";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kView = true;
  static constexpr bool kDifferentiable = false;

  Specs infer(SpecRefs inputs) const override { return {inputs[0]}; }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs, std::span<const Spec>) const override { return {}; }
};

}  // namespace alula
