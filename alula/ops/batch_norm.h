#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

struct BatchNormOptions {
  int64_t axis = -1;  // of the channels
  double epsilon = 1e-3;
};
Attributes attributes_of(const BatchNormOptions& options);

struct BatchNormResult {
  Tensor y;         // like x
  Tensor mean;      // [channels]
  Tensor variance;  // [channels]; the mean of the squared distances from the mean
};

/// Gives each channel of x mean 0 and variance 1, then multiplies by gamma and adds beta:
/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta.
/// x: [..., channels, ...], gamma, beta: [channels]. Floating types; beside an x of 16 bits all
/// others are float32. The gradient flows through y alone: mean and variance are for reading.
///   batch_norm({{1.f}, {3.f}}, {2.f}, {5.f}, {.epsilon = 0}).y  ->  {{3}, {7}}
BatchNormResult batch_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                           const BatchNormOptions& options = {});
/// Without gamma and beta.
BatchNormResult batch_norm(const Tensor& x, const BatchNormOptions& options = {});

struct BatchNormGradients {
  Tensor x;
  Tensor gamma;
  Tensor beta;
};

/// The gradients of batch_norm, given that of y. gamma may be undefined, for ones.
BatchNormGradients batch_norm_gradient(const Tensor& x, const Tensor& gamma,
                                       const BatchNormResult& result, const Tensor& dy,
                                       const BatchNormOptions& options = {});

/// The op behind `batch_norm`. Inputs: x, or x, gamma, beta. Outputs: y, mean, variance.
struct BatchNorm final : OpOf<BatchNorm>, BatchNormOptions {
  static constexpr const char* kName = "batch_norm";
  static constexpr DTypeSet kDTypes = kFloating;

  explicit BatchNorm(const BatchNormOptions& options = {}) : BatchNormOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

/// The op behind `batch_norm_gradient`. Inputs: x, mean, variance, dy, and gamma if there is one.
/// Outputs: the gradients of x, gamma and beta.
struct BatchNormGradient final : OpOf<BatchNormGradient>, BatchNormOptions {
  static constexpr const char* kName = "batch_norm_gradient";
  static constexpr DTypeSet kDTypes = kFloating;

  explicit BatchNormGradient(const BatchNormOptions& options = {}) : BatchNormOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

}  // namespace alula
