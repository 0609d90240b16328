#pragma once
// The plain references of pooling and its gradients.
#include <cmath>
#include <limits>

#include "alula/ops/conv2d_test.h"
#include "alula/ops/max_pool2d.h"

namespace alula::testing {

/// Pooling looks where a convolution of each channel with its own filter does.
inline Conv2DOptions as_conv2d(const Pool2DOptions& options) {
  return {.strides = options.strides, .padding = options.padding};
}
inline Shape plain_filter(const Shape& input, const Pool2DOptions& options) {
  return {options.ksize.height, options.ksize.width, 1, input[3]};
}
inline Shape plain_pool2d_shape(const Shape& input, const Pool2DOptions& options) {
  return plain_conv2d_shape(input, plain_filter(input, options), as_conv2d(options));
}
/// Calls `body(input, output)` with the offsets of each element and of each window that holds it.
template <class F>
void for_each_in_windows(const Shape& input, const Pool2DOptions& options, const F& body) {
  if (input[3] == 0) return;
  for_each_product(input, plain_filter(input, options), as_conv2d(options),
                   [&](int64_t i, int64_t, int64_t o) { body(i, o); });
}

/// For each window, the offset of its first largest element.
inline std::vector<int64_t> plain_winners(const Array& input, const Pool2DOptions& options) {
  std::vector<int64_t> winners(plain_pool2d_shape(input.shape, options).size(), -1);
  for_each_in_windows(input.shape, options, [&](int64_t i, int64_t o) {
    const double value = input.values[i];
    if (winners[o] < 0 || value > input.values[winners[o]] ||
        (std::isnan(value) && !std::isnan(input.values[winners[o]])))
      winners[o] = i;
  });
  return winners;
}

/// For each window, how many elements it holds.
inline std::vector<int64_t> plain_counts(const Shape& input, const Pool2DOptions& options) {
  std::vector<int64_t> counts(plain_pool2d_shape(input, options).size());
  for_each_in_windows(input, options, [&](int64_t, int64_t o) { ++counts[o]; });
  return counts;
}

/// The shapes and options that pooling is tested with.
template <class F>
void for_each_pool2d_case(const F& body) {
  for (const Shape& shape : {Shape{1, 4, 4, 1}, Shape{2, 7, 9, 3}, Shape{3, 5, 6, 33},
                             Shape{1, 6, 5, 16}, Shape{0, 4, 4, 1}, Shape{2, 4, 4, 0}})
    for (const Size2 ksize : {Size2(1), Size2(2), Size2(3), Size2(2, 3)})
      for (const Size2 strides : {Size2(1), Size2(2), Size2(3, 1)})
        for (const Padding& padding : {Padding("VALID"), Padding("same")})
          body(shape, Pool2DOptions{.ksize = ksize, .strides = strides, .padding = padding});
  body(Shape{2, 6, 7, 5}, Pool2DOptions{.ksize = 3, .strides = 2, .padding = {2, 1, 0, 2}});
  body(Shape{20, 30, 30, 17}, Pool2DOptions{.ksize = 3, .strides = 2, .padding = "SAME"});
}

}  // namespace alula::testing
