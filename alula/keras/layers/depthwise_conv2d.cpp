#include "alula/keras/layers/depthwise_conv2d.h"

#include "alula/keras/layers/conv2d.h"
#include "alula/keras/layers/data_format.h"
#include "alula/ops/bias_add.h"
#include "alula/ops/cast.h"
#include "alula/ops/conv2d.h"
#include "alula/ops/reshape.h"

namespace alula::keras {

DepthwiseConv2DImpl::DepthwiseConv2DImpl(const DepthwiseConv2DOptions& options)
    : LayerWith(options) {
  constexpr const char* kName = "DepthwiseConv2D";
  check_convolution(kName, options.kernel_size, options.strides, options.dilation_rate);
  check_data_format(kName, options.data_format);
  require(options.depth_multiplier > 0, "{}: depth_multiplier must be positive. Got {}.", kName,
          options.depth_multiplier);
  set_input_spec({.rank = 4});
}

void DepthwiseConv2DImpl::build(const Shape& input) {
  const int64_t channels = input.back();
  const Size2 size = options.kernel_size;
  kernel = add_weight({.name = "kernel",
                       .shape = {size.height, size.width, channels, options.depth_multiplier},
                       .initializer = options.depthwise_initializer,
                       .regularizer = options.depthwise_regularizer});
  if (options.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = {channels * options.depth_multiplier},
                       .initializer = options.bias_initializer,
                       .regularizer = options.bias_regularizer});
  set_input_spec({.rank = 4, .channels = channels});
}

Tensor DepthwiseConv2DImpl::prepare(const Tensor& input) const {
  return cast(input, compute_dtype());
}

/// As many groups as channels: a filter that takes one channel makes conv2d do that.
Tensor DepthwiseConv2DImpl::call(const Tensor& x) {
  const Shape& shape = kernel.shape();
  const Tensor filter = reshape(kernel, {shape[0], shape[1], 1, shape[2] * shape[3]});
  Tensor y = conv2d(
      x, filter,
      {.strides = options.strides, .padding = options.padding, .dilations = options.dilation_rate});
  if (options.use_bias) y = bias_add(y, bias);
  return options.activation(y);
}

}  // namespace alula::keras
