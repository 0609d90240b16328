#include "alula/ops/crop_or_pad.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

struct Window {
  int64_t y, height, x, width;
};

Array window_of(const Array& images, const Window& window) {
  const int rank = images.shape.rank();
  Array result(images.shape.with(rank - 3, window.height).with(rank - 2, window.width));
  for_each_index(result.shape, [&](const Shape& index) {
    Shape source = index;
    source[rank - 3] += window.y;
    source[rank - 2] += window.x;
    const bool inside = source[rank - 3] >= 0 && source[rank - 3] < images.shape[rank - 3] &&
                        source[rank - 2] >= 0 && source[rank - 2] < images.shape[rank - 2];
    result[index] = inside ? images[source] : 0;
  });
  return result;
}

void check_window(DType dtype, const Shape& shape, const Framing& height, const Framing& width,
                  const Window& window) {
  OpTest::check([&](const auto& in) { return crop_or_pad(in[0], height, width); },
                {varied(dtype, shape)},
                [&](const std::vector<Array>& in) { return window_of(in[0], window); });
}

}  // namespace

OP_TEST(crop_or_pad) {
  for (const DType dtype : every_dtype()) {
    if (dtype == string) continue;
    check_window(dtype, {5, 6, 3}, Framing::crop(1, 3), Framing::crop(2, 4), {1, 3, 2, 4});
    check_window(dtype, {2, 5, 6, 1}, Framing::pad(1, 9), Framing::pad(0, 6), {-1, 9, 0, 6});
    check_window(dtype, {2, 5, 6, 2}, Framing::central(2), Framing::central(9), {1, 2, -1, 9});
  }
  check_window(float64, {5, 6, 3}, Framing::central(8), Framing::central(3), {-1, 8, 1, 3});
  check_window(float64, {5, 6, 3}, Framing::middle(0.5), Framing::middle(0.1), {1, 3, 2, 2});
  check_window(float64, {5, 6, 3}, Framing::at(-2, 4), Framing::at(4, 5), {-2, 4, 4, 5});
  check_window(float64, {5, 6, 3}, Framing::at(5, 2), Framing::at(-3, 3), {5, 2, -3, 3});
  check_window(float64, {5, 6, 3}, Framing::at(9, 2), Framing::at(-9, 3), {9, 2, -9, 3});
  check_window(float64, {2, 3, 5, 6, 1}, Framing::crop(0, 5), Framing::crop(5, 1), {0, 5, 5, 1});
  check_window(float64, {0, 5, 6, 1}, Framing::crop(0, 5), Framing::crop(5, 1), {0, 5, 5, 1});
  check_window(float64, {5, 6, 1}, Framing::crop(0, 0), Framing::crop(5, 1), {0, 0, 5, 1});
  check_window(float32, {4, 100, 90, 3}, Framing::at(-7, 120), Framing::at(3, 90),
               {-7, 120, 3, 90});

  const Tensor x = varied(float32, {5, 6, 3});
  EXPECT_ERROR(crop_or_pad(x, Framing::crop(3, 3), Framing::central(2)), InvalidArgumentError,
               "crop_or_pad: the height is 5, and 3 from 3 on go beyond it");
  EXPECT_ERROR(crop_or_pad(x, Framing::central(2), Framing::crop(-1, 3)), InvalidArgumentError,
               "the width is 6, and 3 from -1 on");
  EXPECT_ERROR(crop_or_pad(x, Framing::pad(3, 7), Framing::central(2)), InvalidArgumentError,
               "the height of 5 must fit into 7 with 3 before it");
  EXPECT_ERROR(crop_or_pad(x, Framing::at(0, -2), Framing::central(2)), InvalidArgumentError,
               "must not be negative");
  EXPECT_ERROR(crop_or_pad(Tensor{1.F}, Framing::central(1), Framing::central(1)),
               InvalidArgumentError, "images are [..., height, width, channels]. Got float32[1]");
  EXPECT_ERROR(crop_or_pad(Tensor{"a"}, Framing::central(1), Framing::central(1)),
               InvalidArgumentError, "takes float16");
  EXPECT_EQ(inferred(CropOrPad(Framing::crop(1, 5), Framing::middle(0.5)),
                     {{float32, {kUnknown, kUnknown, 3}}}),
            "[5,?,3]");
}
