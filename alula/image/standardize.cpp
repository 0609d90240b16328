#include "alula/image/standardize.h"

#include <cmath>

#include "alula/image/check.h"
#include "alula/ops/abs.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/log.h"
#include "alula/ops/maximum.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/rsqrt.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/squared_difference.h"
#include "alula/ops/strided_slice.h"

namespace alula::image {
namespace {

using internal::check_image;

const ReduceOptions kWholeImage{.axis = {-3, -2, -1}, .keepdims = true};

/// 1 / sqrt(the number of an image's elements).
Tensor least_deviation(const Tensor& image) {
  const Shape one = image.shape().slice(image.rank() - 3, image.rank());
  if (one.is_known())
    return Tensor(1 / std::sqrt(static_cast<float>(one.checked_size("per_image_standardization"))));
  return rsqrt(reduce_sum(ones_like(image), kWholeImage));
}

}  // namespace

Tensor per_image_standardization(const Tensor& image) {
  check_image("per_image_standardization", image);
  require(kNumeric.contains(image.dtype()), "per_image_standardization: takes {}. Got {}.",
          kNumeric, image.spec());
  const Tensor x = cast(image, float32);
  const Tensor mean = reduce_mean(x, kWholeImage);
  const Tensor deviation = sqrt(reduce_mean(squared_difference(x, mean), kWholeImage));
  return (x - mean) / maximum(deviation, least_deviation(x));
}

Tensor total_variation(const Tensor& images) {
  check_image("total_variation", images);
  const auto sum = [](const Tensor& distances) {
    return reduce_sum(abs(distances), {.axis = {-3, -2, -1}});
  };
  const Index from_second{1, Index::kEnd}, before_last{0, -1};
  return sum(at(images, {kEllipsis, from_second, kAll, kAll}) -
             at(images, {kEllipsis, before_last, kAll, kAll})) +
         sum(at(images, {kEllipsis, from_second, kAll}) -
             at(images, {kEllipsis, before_last, kAll}));
}

Tensor psnr(const Tensor& a, const Tensor& b, double max_val) {
  check_image("psnr", a);
  check_image("psnr", b);
  require(a.dtype() == b.dtype(), "psnr: the images must have one dtype. Got {} and {}.", a.spec(),
          b.spec());
  const Tensor most = convert_image_dtype(cast(Tensor(max_val), a.dtype()), float32);
  const Tensor error = reduce_mean(
      squared_difference(convert_image_dtype(a, float32), convert_image_dtype(b, float32)),
      {.axis = {-3, -2, -1}});
  return 20 * log(most) / std::log(10.F) - static_cast<float>(10 / std::log(10.0)) * log(error);
}

}  // namespace alula::image
