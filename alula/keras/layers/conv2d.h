#pragma once
#include "alula/keras/activations.h"
#include "alula/keras/layer.h"
#include "alula/ops/window.h"

namespace alula::keras {

struct Conv2DOptions {
  int64_t filters = 0;
  Size2 kernel_size = 0;
  Size2 strides = 1;
  Padding padding = Padding::kValid;
  Setting<std::string> data_format = {};  // "channels_last"
  Size2 dilation_rate = 1;
  int64_t groups = 1;
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class Conv2DImpl : public LayerWith<Conv2DImpl, Conv2DOptions> {
 public:
  explicit Conv2DImpl(const Conv2DOptions& options);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;

  Variable kernel, bias;
};

/// Checks what the convolution layers share; errors name `who`.
void check_convolution(const char* who, Size2 kernel_size, Size2 strides, Size2 dilation_rate);

namespace layers {
/// activation(conv2d(x, kernel) + bias): filters slide over images.
/// x: [batch, height, width, channels], result: [batch, out_height, out_width, filters].
///   layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"})
using Conv2D = LayerOf<Conv2DImpl>;
}  // namespace layers

}  // namespace alula::keras
