#pragma once
// The plain references of conv2d and its gradients.
#include <algorithm>
#include <cmath>

#include "alula/ops/conv2d.h"
#include "alula/testing/array.h"

namespace alula::testing {

struct PlainAxis {
  int64_t before = 0;
  int64_t output = 0;
};

/// TensorFlow's rules of padding, along one axis.
inline PlainAxis plain_axis(int64_t input, int64_t size, int64_t stride, int64_t dilation,
                            Padding::Kind kind, int64_t before, int64_t after) {
  const int64_t extent = (size - 1) * dilation + 1;
  if (kind != Padding::kSame) return {before, (input + before + after - extent) / stride + 1};
  const int64_t output = (input + stride - 1) / stride;
  return {std::max<int64_t>(0, (output - 1) * stride + extent - input) / 2, output};
}

inline Shape plain_conv2d_shape(const Shape& input, const Shape& filter,
                                const Conv2DOptions& options) {
  const auto& [strides, padding, dilations] = options;
  const PlainAxis y = plain_axis(input[1], filter[0], strides.height, dilations.height,
                                 padding.kind, padding.top, padding.bottom);
  const PlainAxis x = plain_axis(input[2], filter[1], strides.width, dilations.width, padding.kind,
                                 padding.left, padding.right);
  return {input[0], y.output, x.output, filter[3]};
}

/// Calls `body(input, filter, output)` with the offsets of each product that a convolution adds up.
template <class F>
void for_each_product(const Shape& input, const Shape& filter, const Conv2DOptions& options,
                      const F& body) {
  const auto& [strides, padding, dilations] = options;
  const Shape output = plain_conv2d_shape(input, filter, options);
  const int64_t top = plain_axis(input[1], filter[0], strides.height, dilations.height,
                                 padding.kind, padding.top, padding.bottom)
                          .before;
  const int64_t left = plain_axis(input[2], filter[1], strides.width, dilations.width, padding.kind,
                                  padding.left, padding.right)
                           .before;
  const int64_t group_out = std::max<int64_t>(1, filter[3] / (input[3] / filter[2]));
  for (int64_t n = 0; n < output[0]; ++n)
    for (int64_t oy = 0; oy < output[1]; ++oy)
      for (int64_t ox = 0; ox < output[2]; ++ox)
        for (int64_t ky = 0; ky < filter[0]; ++ky)
          for (int64_t kx = 0; kx < filter[1]; ++kx) {
            const int64_t iy = oy * strides.height + ky * dilations.height - top;
            const int64_t ix = ox * strides.width + kx * dilations.width - left;
            if (iy < 0 || ix < 0 || iy >= input[1] || ix >= input[2]) continue;
            for (int64_t c = 0; c < filter[2]; ++c)
              for (int64_t o = 0; o < filter[3]; ++o)
                body(((n * input[1] + iy) * input[2] + ix) * input[3] + o / group_out * filter[2] +
                         c,
                     ((ky * filter[1] + kx) * filter[2] + c) * filter[3] + o,
                     ((n * output[1] + oy) * output[2] + ox) * output[3] + o);
          }
}

inline Array plain_conv2d(const Array& input, const Array& filter, const Conv2DOptions& options) {
  Array output(plain_conv2d_shape(input.shape, filter.shape, options));
  for_each_product(input.shape, filter.shape, options, [&](int64_t i, int64_t f, int64_t o) {
    output.values[o] += input.values[i] * filter.values[f];
  });
  return output;
}

inline Array plain_conv2d_backprop_input(const Shape& input, const Array& filter,
                                         const Array& gradient, const Conv2DOptions& options) {
  Array result(input);
  for_each_product(input, filter.shape, options, [&](int64_t i, int64_t f, int64_t o) {
    result.values[i] += gradient.values[o] * filter.values[f];
  });
  return result;
}

inline Array plain_conv2d_backprop_filter(const Array& input, const Shape& filter,
                                          const Array& gradient, const Conv2DOptions& options) {
  Array result(filter);
  for_each_product(input.shape, filter, options, [&](int64_t i, int64_t f, int64_t o) {
    result.values[f] += input.values[i] * gradient.values[o];
  });
  return result;
}

}  // namespace alula::testing
