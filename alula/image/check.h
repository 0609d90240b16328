#pragma once
#include <concepts>

#include "alula/image/adjust.h"
#include "alula/image/convert.h"

/// What the functions of images share.
namespace alula::image::internal {

/// An image or a batch of them, or an error that names `who`.
void check_image(const char* who, const Tensor& image);
/// The same, of this many channels.
void check_channels(const char* who, const Tensor& image, int64_t channels);

/// A number or a scalar, as one of `dtype`.
Tensor as_amount(const Argument& amount, DType dtype, const char* who);

/// A factor drawn from a range, or an error if that is empty.
Tensor random_factor(const char* who, const RandomFactorOptions& options);

/// An image of float16 or float32, which TensorFlow adjusts as they are, or the same of float32.
Tensor as_floating(const char* who, const Tensor& image);

/// What `adjust` makes of an image as floating numbers, back in the image's dtype.
template <std::invocable<const Tensor&> F>
Tensor adjusted(const char* who, const Tensor& image, F adjust) {
  const Tensor result = adjust(as_floating(who, image));
  return convert_image_dtype(result, image.dtype(), {.saturate = true});
}

}  // namespace alula::image::internal
