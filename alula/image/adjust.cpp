#include "alula/image/adjust.h"

#include "alula/image/check.h"
#include "alula/image/convert.h"
#include "alula/ops/cast.h"
#include "alula/ops/operators.h"
#include "alula/ops/pow.h"
#include "alula/ops/random.h"
#include "alula/ops/reduce.h"
#include "alula/ops/tile.h"

namespace alula::image {

using internal::adjusted;
using internal::as_amount;
using internal::check_image;
using internal::random_factor;

namespace {

/// The mean of each channel of each image, as a row of the image where its width is known: rows are
/// long, and few channels are not, which makes both steps several times as fast.
Tensor channel_means(const Tensor& x) {
  const Tensor row = reduce_mean(x, {.axis = -3, .keepdims = true});
  const Tensor mean = reduce_mean(row, {.axis = -2, .keepdims = true});
  const int64_t width = x.shape()[x.rank() - 2];
  if (width == kUnknown) return mean;
  return x.rank() == 3 ? tile(mean, {1, width, 1}) : tile(mean, {1, 1, width, 1});
}

}  // namespace

Tensor adjust_brightness(const Tensor& image, const Argument& delta) {
  return adjusted("adjust_brightness", image, [&](const Tensor& x) {
    return x + as_amount(delta, x.dtype(), "adjust_brightness");
  });
}

Tensor random_brightness(const Tensor& image, double max_delta, const RandomOptions& options) {
  require(max_delta >= 0, "random_brightness: max_delta must not be negative. Got {}.", max_delta);
  return adjust_brightness(
      image,
      random::uniform({}, {.minval = -max_delta, .maxval = max_delta, .seed = options.seed}));
}

Tensor adjust_contrast(const Tensor& images, const Argument& contrast_factor) {
  check_image("adjust_contrast", images);
  return adjusted("adjust_contrast", images, [&](const Tensor& x) {
    const Tensor mean = channel_means(x);
    return (x - mean) * as_amount(contrast_factor, x.dtype(), "adjust_contrast") + mean;
  });
}

Tensor random_contrast(const Tensor& image, const RandomFactorOptions& options) {
  return adjust_contrast(image, random_factor("random_contrast", options));
}

Tensor adjust_gamma(const Tensor& image, const AdjustGammaOptions& options) {
  require(options.gamma >= 0, "adjust_gamma: gamma must not be negative. Got {}.", options.gamma);
  return adjusted("adjust_gamma", image,
                  [&](const Tensor& x) { return options.gain * pow(x, options.gamma); });
}

}  // namespace alula::image
