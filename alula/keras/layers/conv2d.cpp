#include "alula/keras/layers/conv2d.h"

#include "alula/keras/layers/data_format.h"
#include "alula/ops/bias_add.h"
#include "alula/ops/cast.h"
#include "alula/ops/conv2d.h"

namespace alula::keras {

void check_convolution(const char* who, Size2 kernel_size, Size2 strides, Size2 dilation_rate) {
  require(kernel_size.height > 0 && kernel_size.width > 0,
          "{}: kernel_size must be positive. Got {}. Write {{.kernel_size = 3}}.", who,
          kernel_size);
  require(strides.height > 0 && strides.width > 0, "{}: strides must be positive. Got {}.", who,
          strides);
  require(dilation_rate.height > 0 && dilation_rate.width > 0,
          "{}: dilation_rate must be positive. Got {}.", who, dilation_rate);
  require(strides == Size2(1) || dilation_rate == Size2(1),
          "{}: strides and dilation_rate cannot both be other than 1. Got strides {}, "
          "dilation_rate {}.",
          who, strides, dilation_rate);
}

Conv2DImpl::Conv2DImpl(const Conv2DOptions& options) : LayerWith(options) {
  constexpr const char* kName = "Conv2D";
  require(options.filters > 0, "{}: filters must be positive. Got {}. Write {{.filters = 32}}.",
          kName, options.filters);
  check_convolution(kName, options.kernel_size, options.strides, options.dilation_rate);
  check_data_format(kName, options.data_format);
  require(options.groups > 0 && options.filters % options.groups == 0,
          "{}: groups must divide the {} filters. Got {}.", kName, options.filters, options.groups);
  set_input_spec({.rank = 4});
}

void Conv2DImpl::build(const Shape& input) {
  const int64_t channels = input.back();
  require(channels == kUnknown || channels % options.groups == 0,
          "Conv2D: groups must divide the input's channels, {}. Got groups {}.", channels,
          options.groups);
  const Size2 size = options.kernel_size;
  const int64_t group_channels = channels == kUnknown ? kUnknown : channels / options.groups;
  kernel = add_weight({.name = "kernel",
                       .shape = {size.height, size.width, group_channels, options.filters},
                       .initializer = options.kernel_initializer,
                       .regularizer = options.kernel_regularizer});
  if (options.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = {options.filters},
                       .initializer = options.bias_initializer,
                       .regularizer = options.bias_regularizer});
  set_input_spec({.rank = 4, .channels = channels});
}

Tensor Conv2DImpl::prepare(const Tensor& input) const { return cast(input, compute_dtype()); }

Tensor Conv2DImpl::call(const Tensor& x) {
  Tensor y = conv2d(
      x, kernel,
      {.strides = options.strides, .padding = options.padding, .dilations = options.dilation_rate});
  if (options.use_bias) y = bias_add(y, bias);
  return options.activation(y);
}

}  // namespace alula::keras
