#include "alula/image/crop.h"

#include "alula/image/check.h"
#include "alula/ops/crop_or_pad.h"
#include "alula/ops/gather.h"
#include "alula/ops/operators.h"
#include "alula/ops/random.h"
#include "alula/ops/range.h"

namespace alula::image {
namespace {

using internal::check_image;

constexpr const char* kRandomCrop = "random_crop";

void check_target(const char* who, int64_t height, int64_t width) {
  require(height > 0 && width > 0, "{}: the target's size must be positive. Got {} and {}.", who,
          height, width);
}

void check_box(const char* who, const Tensor& image, const BoundingBox& box) {
  check_image(who, image);
  check_target(who, box.target_height, box.target_width);
  require(box.offset_height >= 0 && box.offset_width >= 0,
          "{}: offsets must not be negative. Got {} and {}.", who, box.offset_height,
          box.offset_width);
}

/// Some elements of one dimension, from a random one on.
Tensor cropped_along(const Tensor& value, int axis, int64_t size, random::Seed seed) {
  const int64_t places = value.shape()[axis] - size + 1;
  const Tensor begin = random::uniform({}, {.maxval = places, .dtype = int64, .seed = seed});
  return gather(value, begin + range(0, size, 1, int64), {.axis = axis});
}

}  // namespace

Tensor central_crop(const Tensor& image, double central_fraction) {
  require(central_fraction > 0 && central_fraction <= 1,
          "central_crop: the fraction must be above 0 and at most 1. Got {}.", central_fraction);
  check_image("central_crop", image);
  if (central_fraction == 1) return image;
  const Framing middle = Framing::middle(central_fraction);
  return crop_or_pad(image, middle, middle);
}

Tensor crop_to_bounding_box(const Tensor& image, const BoundingBox& box) {
  check_box("crop_to_bounding_box", image, box);
  return crop_or_pad(image, Framing::crop(box.offset_height, box.target_height),
                     Framing::crop(box.offset_width, box.target_width));
}

Tensor pad_to_bounding_box(const Tensor& image, const BoundingBox& box) {
  check_box("pad_to_bounding_box", image, box);
  return crop_or_pad(image, Framing::pad(box.offset_height, box.target_height),
                     Framing::pad(box.offset_width, box.target_width));
}

Tensor resize_with_crop_or_pad(const Tensor& image, int64_t target_height, int64_t target_width) {
  check_image("resize_with_crop_or_pad", image);
  check_target("resize_with_crop_or_pad", target_height, target_width);
  return crop_or_pad(image, Framing::central(target_height), Framing::central(target_width));
}

Tensor random_crop(const Tensor& value, const Ints& size, const RandomOptions& options) {
  require(value.defined(), "{}: the input is not defined yet.", kRandomCrop);
  const Spec& spec = value.spec();
  require(static_cast<int>(size.size()) == spec.rank(),
          "{}: the size needs {} numbers, one for each dimension. Got {}.", kRandomCrop,
          spec.rank(), size);
  Tensor result = value;
  for (int i = 0; i < spec.rank(); ++i) {
    const int64_t dim = spec.shape[i], wanted = size[static_cast<size_t>(i)];
    if (wanted == -1 || wanted == dim) continue;
    require(dim != kUnknown, "{}: dimension {} of the input must be known. Got {}.", kRandomCrop, i,
            spec);
    require(wanted >= 0 && wanted < dim, "{}: dimension {} has {} elements. Got size {} of {}.",
            kRandomCrop, i, dim, size, spec);
    result = cropped_along(result, i, wanted, options.seed);
  }
  return result;
}

}  // namespace alula::image
