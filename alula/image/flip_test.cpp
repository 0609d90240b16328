#include "alula/image/flip.h"

#include "alula/image/reference_test.h"

using namespace alula;
using namespace alula::image;
using namespace alula::testing;
using reference::Case;

TEST(Flip, IsTensorFlows) {
  reference::check_all(
      "shape",
      {{"flip_left_right", {[](const Tensor& x, const Case&) { return flip_left_right(x); }}},
       {"flip_up_down", {[](const Tensor& x, const Case&) { return flip_up_down(x); }}},
       {"transpose", {[](const Tensor& x, const Case&) { return image::transpose(x); }}},
       {"rot90", {[](const Tensor& x, const Case& item) { return rot90(x, item.integer("k")); }}}});
}

/// How many of `count` images were mirrored.
int mirrored(const Tensor& results, int64_t count) {
  const std::vector<float> values = results.to_vector<float>();
  int sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float first = values[i * 4], last = values[(i + 1) * 4 - 1];
    EXPECT_EQ(first + last, 3.F);
    sum += first != 0.F;
  }
  return sum;
}

TEST(Flip, MirrorsHalfOfTheImages) {
  const Tensor image(std::vector<float>{0, 1, 2, 3}, {4, 1, 1});
  const std::vector<Tensor> many(1000, image);
  const Tensor batch = stack(many);
  const auto rows = [](const Tensor& x) { return random_flip_up_down(x, {.seed = 5}); };
  EXPECT_NEAR(mirrored(rows(batch), 1000), 500, 80);
  EXPECT_NEAR(mirrored(vectorized_map(rows, batch), 1000), 500, 80);
  const auto columns = [](const Tensor& x) { return random_flip_left_right(image::transpose(x)); };
  EXPECT_NEAR(mirrored(columns(batch), 1000), 500, 80);
  EXPECT_NEAR(mirrored(vectorized_map(columns, batch), 1000), 500, 80);
  int sum = 0;
  for (int i = 0; i < 200; ++i) sum += mirrored(rows(image), 1);
  EXPECT_NEAR(sum, 100, 45);
}

TEST(Flip, ChecksItsArguments) {
  EXPECT_ERROR(flip_left_right(Tensor{1.F}), InvalidArgumentError,
               "flip_left_right: an image is [height, width, channels]");
  EXPECT_ERROR(flip_up_down(Tensor()), InvalidArgumentError, "the image is not defined");
  EXPECT_ERROR(rot90(Tensor{1.F}), InvalidArgumentError, "rot90: an image is");
  EXPECT_ERROR(image::transpose(Tensor{1.F}), InvalidArgumentError, "transpose: an image is");
  EXPECT_ERROR(random_flip_up_down(Tensor{1.F}), InvalidArgumentError,
               "random_flip_up_down: an image is");
}
