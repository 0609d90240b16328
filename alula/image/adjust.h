#pragma once
#include "alula/core/random.h"
#include "alula/ops/elementwise.h"

/// Images are [height, width, channels] or [batch, height, width, channels]. One of integers is
/// converted to float32 (convert_image_dtype), adjusted, converted back and cut off at what the
/// dtype holds; so amounts are those of values between 0 and 1. A floating image is not cut off.
/// What is random is drawn anew at each call: once for all images of a batch, but for each element
/// that a data set maps, whether or not these are batched later.
namespace alula::image {

struct RandomOptions {
  random::Seed seed = {};
};

/// A factor that is drawn from [lower, upper).
struct RandomFactorOptions {
  double lower = 0;  // not negative
  double upper = 0;  // larger than `lower`
  random::Seed seed = {};
};

/// Adds `delta`, a number or a scalar. Any shape.
///   adjust_brightness({0.5f, 0.9f}, 0.25)  ->  {0.75, 1.15}
Tensor adjust_brightness(const Tensor& image, const Argument& delta);

/// Adds a number that is drawn from [-max_delta, max_delta). Any shape.
///   random_brightness(image, 0.2, {.seed = 7})
Tensor random_brightness(const Tensor& image, double max_delta, const RandomOptions& options = {});

/// Moves each value away from the mean of its channel in its image, or towards it:
/// (x - mean) * contrast_factor + mean.
///   adjust_contrast(image, 2)
Tensor adjust_contrast(const Tensor& images, const Argument& contrast_factor);

/// The same by a random factor.
///   random_contrast(image, {.lower = 0.2, .upper = 0.5})
Tensor random_contrast(const Tensor& image, const RandomFactorOptions& options);

struct AdjustGammaOptions {
  double gamma = 1;  // not negative
  double gain = 1;
};

/// gain * image ^ gamma, elementwise. Any shape.
///   adjust_gamma({0.25f, 1.f}, {.gamma = 0.5})  ->  {0.5, 1}
Tensor adjust_gamma(const Tensor& image, const AdjustGammaOptions& options = {});

}  // namespace alula::image
