#include "alula/image/adjust.h"

#include <set>

#include "alula/graph/function.h"
#include "alula/image/reference_test.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::image;
using namespace alula::testing;
using reference::Case;

TEST(Adjust, IsTensorFlows) {
  reference::check_all("adjust", {{"adjust_brightness",
                                   {[](const Tensor& image, const Case& item) {
                                      return adjust_brightness(image, item.number("delta"));
                                    },
                                    1e-7}},
                                  {"adjust_contrast",
                                   {[](const Tensor& image, const Case& item) {
                                      return adjust_contrast(image, item.number("contrast_factor"));
                                    },
                                    1e-6}},
                                  {"adjust_gamma",
                                   {[](const Tensor& image, const Case& item) {
                                      return adjust_gamma(image, {.gamma = item.number("gamma"),
                                                                  .gain = item.number("gain", 1)});
                                    },
                                    1e-6}}});
}

/// One call an element, each with a number of its own: what the differences tell.
void expect_drawn_for_each(const std::function<Tensor(const Tensor&)>& f, const Tensor& image) {
  const Tensor all = vectorized_map(f, stack({image, image, image, image}));
  std::set<std::vector<float>> results;
  const std::vector<float> values = all.to_vector<float>();
  const auto size = static_cast<std::ptrdiff_t>(image.size());
  for (std::ptrdiff_t i = 0; i < 4; ++i)
    results.insert({values.begin() + i * size, values.begin() + (i + 1) * size});
  EXPECT_EQ(results.size(), 4U);
}

TEST(Adjust, RandomBrightnessAddsOneNumber) {
  const Tensor image = random_tensor({float32, {4, 5, 3}}, {0, 1});
  std::set<float> drawn;
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> deltas =
        (random_brightness(image, 0.25, {.seed = 3}) - image).to_vector<float>();
    for (float delta : deltas) EXPECT_NEAR(delta, deltas[0], 1e-6);
    EXPECT_LE(std::abs(deltas[0]), 0.25F);
    drawn.insert(deltas[0]);
  }
  EXPECT_EQ(drawn.size(), 20U);
  EXPECT_LT(*drawn.begin(), -0.1F);
  EXPECT_GT(*drawn.rbegin(), 0.1F);
  expect_drawn_for_each([](const Tensor& x) { return random_brightness(x, 0.25); }, image);
  auto compiled = function([](const Tensor& x) { return random_brightness(x, 0.25); });
  EXPECT_NE(compiled(image).to_vector<float>(), compiled(image).to_vector<float>());
}

TEST(Adjust, RandomContrastScalesByOneFactor) {
  const Tensor image = Tensor(std::vector<float>{0.F, 1.F}, {1, 2, 1});
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> values =
        random_contrast(image, {.lower = 0.5, .upper = 0.75}).to_vector<float>();
    EXPECT_GE(values[1] - values[0], 0.5F - 1e-6F);
    EXPECT_LE(values[1] - values[0], 0.75F + 1e-6F);
  }
  expect_drawn_for_each(
      [](const Tensor& x) { return random_contrast(x, {.lower = 0.5, .upper = 2}); }, image);
}

TEST(Adjust, TakesScalarTensors) {
  const Tensor image = random_tensor({float16, {2, 2, 3}}, {0, 1});
  expect_equal(adjust_brightness(image, Tensor(0.25)), to_array(adjust_brightness(image, 0.25)),
               float16);
  EXPECT_EQ(adjust_brightness(random_tensor({bfloat16, {2, 2, 3}}), 1).dtype(), bfloat16);
}

TEST(Adjust, ChecksItsArguments) {
  const Tensor image = random_tensor({float32, {2, 2, 3}});
  EXPECT_ERROR(adjust_brightness(Tensor(), 1), InvalidArgumentError, "the image is not defined");
  EXPECT_ERROR(adjust_brightness(Tensor{true}, 1), InvalidArgumentError, "takes images of numbers");
  EXPECT_ERROR(adjust_brightness(image, image), InvalidArgumentError,
               "adjust_brightness: the amount must be a number or a scalar");
  EXPECT_ERROR(random_brightness(image, -1), InvalidArgumentError,
               "max_delta must not be negative");
  EXPECT_ERROR(adjust_contrast(Tensor{1.F}, 1), InvalidArgumentError,
               "adjust_contrast: an image is [height, width, channels] or [batch, height, width, "
               "channels]. Got float32[1].");
  EXPECT_ERROR(random_contrast(image, {.lower = -1, .upper = 1}), InvalidArgumentError,
               "lower must not be negative");
  EXPECT_ERROR(random_contrast(image, {.lower = 1, .upper = 1}), InvalidArgumentError,
               "upper must be larger than lower");
  EXPECT_ERROR(adjust_gamma(image, {.gamma = -1}), InvalidArgumentError,
               "gamma must not be negative");
}
