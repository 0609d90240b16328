#pragma once
#include "alula/keras/activations.h"
#include "alula/keras/layer.h"
#include "alula/ops/window.h"

namespace alula::keras {

struct Conv2DTransposeOptions {
  int64_t filters = 0;
  Size2 kernel_size = 0;
  Size2 strides = 1;
  Padding padding = Padding::kValid;
  Setting<std::string> data_format = {};  // "channels_last"
  Size2 dilation_rate = 1;
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

class Conv2DTransposeImpl : public LayerWith<Conv2DTransposeImpl, Conv2DTransposeOptions> {
 public:
  explicit Conv2DTransposeImpl(const Conv2DTransposeOptions& options);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;

  Variable kernel, bias;
};

namespace layers {
/// The transpose of a convolution: it makes small images larger. x: [batch, height, width,
/// channels], result: [batch, out_height, out_width, filters]. With padding "same" the result is
/// `strides` times as large; with "valid" also by what the kernel overlaps.
///   layers::Conv2DTranspose({.filters = 16, .kernel_size = 3, .strides = 2, .padding = "same"})
using Conv2DTranspose = LayerOf<Conv2DTransposeImpl>;
}  // namespace layers

}  // namespace alula::keras
