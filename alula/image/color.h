#pragma once
#include "alula/image/adjust.h"

/// Colours: the last dimension has 3 channels, red, green and blue, or hue, saturation and value.
/// Any dimensions before it.
namespace alula::image {

/// Hue, saturation and value, all in [0, 1] for colours in [0, 1]. Floating types.
///   rgb_to_hsv({1.f, 0.5f, 0.f})  ->  {0.0833, 1, 1}
Tensor rgb_to_hsv(const Tensor& images);

/// Back to red, green and blue. Floating types.
Tensor hsv_to_rgb(const Tensor& images);

/// Turns the hue by `delta`, a number or a scalar: 1 is all the way round. Number types, converted
/// as by adjust_brightness.
///   adjust_hue(image, 0.1)
Tensor adjust_hue(const Tensor& image, const Argument& delta);

/// The same by a number that is drawn from [-max_delta, max_delta); max_delta is at most 0.5.
Tensor random_hue(const Tensor& image, double max_delta, const RandomOptions& options = {});

/// Multiplies the saturation by a number or a scalar, and cuts it off at 1.
///   adjust_saturation(image, 0.5)
Tensor adjust_saturation(const Tensor& image, const Argument& saturation_factor);

/// The same by a random factor.
///   random_saturation(image, {.lower = 0.5, .upper = 1.5})
Tensor random_saturation(const Tensor& image, const RandomFactorOptions& options);

/// The brightness that the eye sees, 0.2989 red + 0.587 green + 0.114 blue, in one channel.
/// Numbers.
///   rgb_to_grayscale({1.f, 0.f, 0.f})  ->  {0.2989}
Tensor rgb_to_grayscale(const Tensor& images);

/// The one channel three times. Any dtype.
Tensor grayscale_to_rgb(const Tensor& images);

}  // namespace alula::image
