#include "alula/image/check.h"

#include "alula/ops/cast.h"
#include "alula/ops/random.h"

namespace alula::image::internal {

void check_image(const char* who, const Tensor& image) {
  require(image.defined(), "{}: the image is not defined yet.", who);
  require(image.rank() == 3 || image.rank() == 4,
          "{}: an image is [height, width, channels] or [batch, height, width, channels]. Got {}. "
          "Use expand_dims() for an image without channels.",
          who, image.spec());
}

void check_channels(const char* who, const Tensor& image, int64_t channels) {
  require(image.defined(), "{}: the image is not defined yet.", who);
  require(
      image.rank() > 0 && (image.shape().back() == channels || image.shape().back() == kUnknown),
      "{}: the last dimension must have {} channels. Got {}.", who, channels, image.spec());
}

Tensor as_amount(const Argument& amount, DType dtype, const char* who) {
  if (amount.is_number()) return amount.as(dtype, who);
  require(amount.tensor().defined() && amount.tensor().rank() == 0,
          "{}: the amount must be a number or a scalar.", who);
  return cast(amount.tensor(), dtype);
}

Tensor random_factor(const char* who, const RandomFactorOptions& options) {
  require(options.lower >= 0, "{}: lower must not be negative. Got {}.", who, options.lower);
  require(options.lower < options.upper, "{}: upper must be larger than lower. Got {} and {}.", who,
          options.upper, options.lower);
  return random::uniform({},
                         {.minval = options.lower, .maxval = options.upper, .seed = options.seed});
}

Tensor as_floating(const char* who, const Tensor& image) {
  require(image.defined(), "{}: the image is not defined yet.", who);
  require(kNumeric.contains(image.dtype()), "{}: takes images of numbers. Got {}.", who,
          image.spec());
  return image.dtype() == float16 ? image : convert_image_dtype(image, float32);
}

}  // namespace alula::image::internal
