#include "alula/image/flip.h"

#include "alula/image/check.h"
#include "alula/ops/operators.h"
#include "alula/ops/random.h"
#include "alula/ops/reverse.h"
#include "alula/ops/transpose.h"
#include "alula/ops/where.h"

namespace alula::image {
namespace {

using internal::check_image;

constexpr int64_t kHeight = -3, kWidth = -2;

Tensor flipped(const char* who, const Tensor& image, const Axes& axes) {
  check_image(who, image);
  return reverse(image, axes);
}

/// As in TensorFlow, one image is mirrored if its number is below a half, one of a batch if its
/// number is above.
Tensor randomly_flipped(const char* who, const Tensor& image, int64_t axis, random::Seed seed) {
  const Tensor mirrored = flipped(who, image, axis);
  if (image.rank() == 3) return where(random::uniform({}, {.seed = seed}) < 0.5f, mirrored, image);
  const int64_t batch = image.shape()[0];
  require(batch != kUnknown, "{}: the number of images must be known. Got {}.", who, image.spec());
  const Tensor numbers = random::uniform({batch, 1, 1, 1}, {.seed = seed});
  return where(numbers > 0.5f, mirrored, image);
}

}  // namespace

Tensor flip_left_right(const Tensor& image) { return flipped("flip_left_right", image, kWidth); }

Tensor flip_up_down(const Tensor& image) { return flipped("flip_up_down", image, kHeight); }

Tensor random_flip_left_right(const Tensor& image, const RandomOptions& options) {
  return randomly_flipped("random_flip_left_right", image, kWidth, options.seed);
}

Tensor random_flip_up_down(const Tensor& image, const RandomOptions& options) {
  return randomly_flipped("random_flip_up_down", image, kHeight, options.seed);
}

Tensor transpose(const Tensor& image) {
  check_image("transpose", image);
  return image.rank() == 3 ? alula::transpose(image, {1, 0, 2})
                           : alula::transpose(image, {0, 2, 1, 3});
}

Tensor rot90(const Tensor& image, int64_t k) {
  check_image("rot90", image);
  switch (((k % 4) + 4) % 4) {
    case 1: return image::transpose(reverse(image, kWidth));
    case 2: return reverse(image, {kHeight, kWidth});
    case 3: return reverse(image::transpose(image), kWidth);
    default: return image;
  }
}

}  // namespace alula::image
