#pragma once
#include "alula/ops/max_pool2d.h"

namespace alula {

/// The mean of each window; padding does not count.
/// input: [batch, height, width, channels], result: [batch, out_height, out_width, channels].
/// Floating types.
///   avg_pool2d(images, {.ksize = 2, .strides = 2})
Tensor avg_pool2d(const Tensor& input, const Pool2DOptions& options = {});

/// The op behind `avg_pool2d`.
struct AvgPool2D final : OpOf<AvgPool2D>, Pool2DOptions {
  static constexpr const char* kName = "avg_pool2d";
  static constexpr DTypeSet kDTypes = kFloating;

  explicit AvgPool2D(const Pool2DOptions& options = {}) : Pool2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};

/// The gradient of avg_pool2d with respect to its input, which had `input_shape`: each window's
/// gradient is spread evenly. gradient: like avg_pool2d's result.
Tensor avg_pool2d_gradient(const Shape& input_shape, const Tensor& gradient,
                           const Pool2DOptions& options = {});

/// The op behind `avg_pool2d_gradient`.
struct AvgPool2DGradient final : OpOf<AvgPool2DGradient>, Pool2DOptions {
  static constexpr const char* kName = "avg_pool2d_gradient";
  static constexpr DTypeSet kDTypes = kFloating;
  Shape input_shape;

  explicit AvgPool2DGradient(const Shape& input_shape = {0, 0, 0, 0},
                             const Pool2DOptions& options = {})
      : Pool2DOptions(options), input_shape(input_shape) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};

}  // namespace alula
