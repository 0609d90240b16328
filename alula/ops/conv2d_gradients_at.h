#pragma once
#include "alula/ops/conv2d.h"
#include "alula/ops/max_pool2d_positions.h"
#include "alula/scalar/program.h"

/// The gradients of a convolution that is max-pooled: that of its result is zero but at the
/// windows' winners, so only those are visited. Made by the compiler.
namespace alula {

/// conv2d_backprop_filter(input, filter_shape, max_pool2d_scatter(values, positions)).
/// Inputs: input, as conv2d's; values, the gradient of the pooled result; positions, as
/// max_pool2d_with_positions makes them of conv2d's result; then what else the program takes that
/// makes the values, each of their shape or the same for all pixels.
/// Outputs: the filter's gradient and, if asked for, the bias's: the sum of each channel's values.
struct Conv2DFilterGradientAt final : OpOf<Conv2DFilterGradientAt>, Conv2DOptions {
  static constexpr const char* kName = "conv2d_filter_gradient_at";
  static constexpr DTypeSet kDTypes = {float32, float64};
  static constexpr bool kDifferentiable = false;
  Shape filter_shape;
  Pool2DOptions pool;
  bool bias = false;
  /// What is done to the values first, such as an activation's gradient. It must outlive the op and
  /// its clones.
  const scalar::Program* prologue = nullptr;

  explicit Conv2DFilterGradientAt(const Shape& filter_shape = {1, 1, 1, 1},
                                  const Conv2DOptions& options = {}, const Pool2DOptions& pool = {})
      : Conv2DOptions(options), filter_shape(filter_shape), pool(pool) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Attributes attributes() const override;
};

/// conv2d_backprop_input(input_shape, filter, max_pool2d_scatter(values, positions)).
/// Inputs: filter, values, positions.
struct Conv2DInputGradientAt final : OpOf<Conv2DInputGradientAt>, Conv2DOptions {
  static constexpr const char* kName = "conv2d_input_gradient_at";
  static constexpr DTypeSet kDTypes = {float32, float64};
  static constexpr bool kDifferentiable = false;
  Shape input_shape;
  Pool2DOptions pool;

  explicit Conv2DInputGradientAt(const Shape& input_shape = {0, 0, 0, 0},
                                 const Conv2DOptions& options = {}, const Pool2DOptions& pool = {})
      : Conv2DOptions(options), input_shape(input_shape), pool(pool) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Attributes attributes() const override;
};

}  // namespace alula
