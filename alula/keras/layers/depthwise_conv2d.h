#pragma once
#include "alula/keras/activations.h"
#include "alula/keras/layer.h"
#include "alula/ops/window.h"

namespace alula::keras {

struct DepthwiseConv2DOptions {
  Size2 kernel_size = 0;
  Size2 strides = 1;
  Padding padding = Padding::kValid;
  int64_t depth_multiplier = 1;           // results a channel
  Setting<std::string> data_format = {};  // "channels_last"
  Size2 dilation_rate = 1;
  Activation activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer bias_regularizer = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class DepthwiseConv2DImpl : public LayerWith<DepthwiseConv2DImpl, DepthwiseConv2DOptions> {
 public:
  explicit DepthwiseConv2DImpl(const DepthwiseConv2DOptions& options);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;

  Variable kernel, bias;
};

namespace layers {
/// A convolution of each channel by itself, with filters of its own. x: [batch, height, width,
/// channels], result: [batch, out_height, out_width, channels * depth_multiplier].
///   layers::DepthwiseConv2D({.kernel_size = 3, .padding = "same"})
using DepthwiseConv2D = LayerOf<DepthwiseConv2DImpl>;
}  // namespace layers

}  // namespace alula::keras
