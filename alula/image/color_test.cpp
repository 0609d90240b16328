#include "alula/image/color.h"

#include "alula/autograd/tape.h"
#include "alula/image/reference_test.h"
#include "alula/ops/reduce.h"

using namespace alula;
using namespace alula::image;
using namespace alula::testing;
using reference::Case;

TEST(Color, IsTensorFlows) {
  reference::check_all(
      "adjust",
      {{"rgb_to_hsv", {[](const Tensor& x, const Case&) { return rgb_to_hsv(x); }, 1e-6}},
       {"hsv_to_rgb", {[](const Tensor& x, const Case&) { return hsv_to_rgb(x); }, 1e-6}},
       {"rgb_to_grayscale",
        {[](const Tensor& x, const Case&) { return rgb_to_grayscale(x); }, 1e-6}},
       {"grayscale_to_rgb", {[](const Tensor& x, const Case&) { return grayscale_to_rgb(x); }}},
       {"adjust_hue",
        {[](const Tensor& x, const Case& item) { return adjust_hue(x, item.number("delta")); },
         2e-6}},
       {"adjust_saturation",
        {[](const Tensor& x, const Case& item) {
           return adjust_saturation(x, item.number("saturation_factor"));
         },
         2e-6}}});
}

TEST(Color, HasGradients) {
  // Away from the bends, where two channels are equal.
  const Tensor x = constant({{0.9, 0.2, 0.5}, {0.1, 0.7, 0.3}, {0.3, 0.4, 0.8}}, float64);
  OpTest::compare_gradient([](const auto& in) { return rgb_to_hsv(in[0]); }, {x});
  OpTest::compare_gradient([](const auto& in) { return hsv_to_rgb(in[0]); }, {x});
  GradientTape tape;
  const Tensor grey = constant({{0.5, 0.5, 0.5}, {0, 0, 0}}, float32);
  tape.watch(grey);
  const Tensor gradient = tape.gradient(reduce_sum(rgb_to_hsv(grey)), grey);
  for (float value : gradient.to_vector<float>()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Color, RandomOnesStayInTheirRange) {
  const Tensor image = constant({{{0.25, 0.5, 1}}}, float32);
  const std::vector<Tensor> many(64, image);
  const auto hue = [](const Tensor& x) { return rgb_to_hsv(random_hue(x, 0.1, {.seed = 1})); };
  const auto saturation = [](const Tensor& x) {
    return rgb_to_hsv(random_saturation(x, {.lower = 0.5, .upper = 0.75}));
  };
  const std::vector<float> hues = vectorized_map(hue, stack(many)).to_vector<float>();
  const std::vector<float> saturations = vectorized_map(saturation, stack(many)).to_vector<float>();
  const std::vector<float> before = rgb_to_hsv(image).to_vector<float>();
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(hues[i * 3], before[0], 0.1 + 1e-6);
    EXPECT_GE(saturations[i * 3 + 1], before[1] * 0.5F - 1e-6F);
    EXPECT_LE(saturations[i * 3 + 1], before[1] * 0.75F + 1e-6F);
  }
  EXPECT_NE(hues[0], hues[3]);
  EXPECT_NE(saturations[1], saturations[4]);
}

TEST(Color, ChecksItsArguments) {
  const Tensor image = random_tensor({float32, {2, 2, 3}}), gray = random_tensor({float32, {2, 1}});
  EXPECT_ERROR(rgb_to_hsv(gray), InvalidArgumentError,
               "rgb_to_hsv: the last dimension must have 3 channels. Got float32[2,1].");
  EXPECT_ERROR(hsv_to_rgb(Tensor{1, 2, 3}), InvalidArgumentError, "hsv_to_rgb: takes float16");
  EXPECT_ERROR(random_hue(image, 0.6), InvalidArgumentError, "between 0 and 0.5. Got 0.6");
  EXPECT_ERROR(adjust_hue(gray, 0.5), InvalidArgumentError, "adjust_hue: the last dimension");
  EXPECT_ERROR(adjust_saturation(gray, 1), InvalidArgumentError, "adjust_saturation: the last");
  EXPECT_ERROR(random_saturation(image, {.lower = 2, .upper = 1}), InvalidArgumentError,
               "random_saturation: upper must be larger");
  EXPECT_ERROR(rgb_to_grayscale(gray), InvalidArgumentError, "rgb_to_grayscale: the last");
  EXPECT_ERROR(grayscale_to_rgb(image), InvalidArgumentError, "must have 1 channels");
  EXPECT_ERROR(grayscale_to_rgb(Tensor()), InvalidArgumentError, "not defined");
}
