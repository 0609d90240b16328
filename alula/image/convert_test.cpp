#include "alula/image/convert.h"

#include "alula/image/reference_test.h"

using namespace alula;
using namespace alula::image;
using namespace alula::testing;

TEST(ConvertImageDType, IsTensorFlows) {
  reference::check_all("convert", {{"convert_image_dtype",
                                    {[](const Tensor& image, const reference::Case& item) {
                                       return convert_image_dtype(
                                           image, dtype_from(item.text("dtype", "")),
                                           {.saturate = item.flag("saturate")});
                                     },
                                     1e-7}}});
}

TEST(ConvertImageDType, CutsOff) {
  // Of NaN and of what is beyond the range, TensorFlow says nothing.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_equal(convert_image_dtype({-0.5f, 2.f, nan}, uint8), {{3}, {0, 255, 0}}, uint8);
  expect_equal(convert_image_dtype(constant({-5, 5}, int8), uint8), {{2}, {246, 10}}, uint8);
  expect_equal(convert_image_dtype(constant({-5, 5}, int8), uint8, {.saturate = true}),
               {{2}, {0, 10}}, uint8);
}

TEST(ConvertImageDType, ChecksItsArguments) {
  EXPECT_ERROR(convert_image_dtype(Tensor{true}, float32), InvalidArgumentError,
               "convert_image_dtype: takes numbers. Got bool[1], to become float32.");
  EXPECT_ERROR(convert_image_dtype(Tensor{1}, string), InvalidArgumentError, "takes numbers");
  EXPECT_ERROR(convert_image_dtype(Tensor(), float32), InvalidArgumentError, "not defined");
}
