#pragma once
#include "alula/ops/conv2d.h"

namespace alula {

/// The transpose of `conv2d`, often called deconvolution: it maps what a conv2d makes back to what
/// it takes. input: [batch, height, width, in_channels], filter: [height, width, out_channels /
/// groups, in_channels], result: `output_shape` = [batch, out_height, out_width, out_channels], of
/// which conv2d with the same options would make the input's shape. Floating types and int32.
///   conv2d_transpose(x, filter, {8, 28, 28, 16}, {.strides = 2, .padding = "SAME"})
///   conv2d_transpose(ones({1, 1, 1, 1}), ones({2, 2, 1, 1}), {1, 2, 2, 1})
///       ->  {{{{1}, {1}}, {{1}, {1}}}}
Tensor conv2d_transpose(const Tensor& input, const Tensor& filter, const Shape& output_shape,
                        const Conv2DOptions& options = {});

/// The gradient of conv2d with respect to its input, which had `input_shape`.
/// filter: as conv2d's, gradient: like conv2d's result.
Tensor conv2d_backprop_input(const Shape& input_shape, const Tensor& filter, const Tensor& gradient,
                             const Conv2DOptions& options = {});

/// The op behind both. Inputs: filter, gradient.
struct Conv2DBackpropInput final : OpOf<Conv2DBackpropInput>, Conv2DOptions {
  static constexpr const char* kName = "conv2d_backprop_input";
  static constexpr DTypeSet kDTypes = kFloating | DTypeSet{int32};
  Shape input_shape;

  explicit Conv2DBackpropInput(const Shape& input_shape = {0, 0, 0, 0},
                               const Conv2DOptions& options = {})
      : Conv2DOptions(options), input_shape(input_shape) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

}  // namespace alula
