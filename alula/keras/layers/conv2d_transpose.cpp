#include "alula/keras/layers/conv2d_transpose.h"

#include <algorithm>

#include "alula/keras/layers/conv2d.h"
#include "alula/keras/layers/data_format.h"
#include "alula/ops/bias_add.h"
#include "alula/ops/cast.h"
#include "alula/ops/conv2d_transpose.h"

namespace alula::keras {

Conv2DTransposeImpl::Conv2DTransposeImpl(const Conv2DTransposeOptions& options)
    : LayerWith(options) {
  constexpr const char* kName = "Conv2DTranspose";
  require(options.filters > 0, "{}: filters must be positive. Got {}. Write {{.filters = 32}}.",
          kName, options.filters);
  check_convolution(kName, options.kernel_size, options.strides, options.dilation_rate);
  check_data_format(kName, options.data_format);
  require(options.padding.kind != Padding::kExplicit, "{}: padding is \"valid\" or \"same\".",
          kName);
  set_input_spec({.rank = 4});
}

void Conv2DTransposeImpl::build(const Shape& input) {
  const Size2 size = options.kernel_size;
  kernel = add_weight({.name = "kernel",
                       .shape = {size.height, size.width, options.filters, input.back()},
                       .initializer = options.kernel_initializer,
                       .regularizer = options.kernel_regularizer});
  if (options.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = {options.filters},
                       .initializer = options.bias_initializer,
                       .regularizer = options.bias_regularizer});
  set_input_spec({.rank = 4, .channels = input.back()});
}

namespace {

/// How far the result reaches along one axis.
int64_t transposed_size(int64_t input, int64_t kernel, int64_t stride, int64_t dilation,
                        Padding padding) {
  if (input == kUnknown) return kUnknown;
  if (padding.kind == Padding::kSame) return input * stride;
  const int64_t extent = (kernel - 1) * dilation + 1;
  return input * stride + std::max<int64_t>(extent - stride, 0);
}

}  // namespace

Tensor Conv2DTransposeImpl::prepare(const Tensor& input) const {
  return cast(input, compute_dtype());
}

Tensor Conv2DTransposeImpl::call(const Tensor& x) {
  const Size2 size = options.kernel_size, strides = options.strides,
              dilation = options.dilation_rate;
  const Shape& in = x.shape();
  const Shape result{
      in[0], transposed_size(in[1], size.height, strides.height, dilation.height, options.padding),
      transposed_size(in[2], size.width, strides.width, dilation.width, options.padding),
      options.filters};
  Tensor y = conv2d_transpose(
      x, kernel, result, {.strides = strides, .padding = options.padding, .dilations = dilation});
  if (options.use_bias) y = bias_add(y, bias);
  return options.activation(y);
}

}  // namespace alula::keras
