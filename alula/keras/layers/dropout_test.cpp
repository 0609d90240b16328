#include "alula/keras/layers/dropout.h"

#include "alula/autograd/tape.h"
#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Dropout, IsALayer) {
  check_layer([] { return layers::Dropout({.rate = 0.25}); },
              {.inputs = {{float32, {4, 50}}}, .output = {float32, {4, 50}}, .name = "dropout"});
  check_layer([] { return layers::Dropout({.rate = 0}); },
              {.inputs = {{int32, {4}}}, .output = {int32, {4}}, .name = "dropout"});
}

/// The share of zeros, and what the others are scaled by.
TEST(Dropout, DropsInTrainingOnly) {
  const layers::Dropout dropout({.rate = 0.25, .seed = 3});
  const Tensor x = random_tensor({float32, {100, 1000}}, {1, 2});
  EXPECT_TRUE(dropout(x).same_as(x));
  EXPECT_TRUE(dropout(x, {.training = false}).same_as(x));
  const Tensor y = dropout(x, {.training = true});
  const std::span<const float> before = x.span<float>(), after = y.span<float>();
  int64_t zeros = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] == 0)
      ++zeros;
    else
      ASSERT_FLOAT_EQ(after[i], before[i] / 0.75F);
  }
  EXPECT_NEAR(static_cast<double>(zeros) / 1e5, 0.25, 0.006);  // four standard deviations
}

TEST(Dropout, DrawsAnewAndRepeatsWithASeed) {
  const Tensor x = random_tensor({float32, {20, 20}}, {1, 2});
  const auto run = [&](random::Seed seed, int times) {
    random::set_seed(5);
    const layers::Dropout dropout({.rate = 0.5, .seed = seed});
    std::vector<float> last;
    for (int i = 0; i < times; ++i) last = dropout(x, {.training = true}).to_vector<float>();
    return last;
  };
  EXPECT_EQ(run(1, 1), run(1, 1));
  EXPECT_NE(run(1, 1), run(1, 2));
  EXPECT_NE(run(1, 1), run(2, 1));
  EXPECT_EQ(run({}, 2), run({}, 2));
}

TEST(Dropout, SharesFatesByTheNoisesShape) {
  const layers::Dropout dropout({.rate = 0.5, .noise_shape = {kUnknown, 1, 3}});
  const Tensor y = dropout(random_tensor({float32, {5, 4, 3}}, {1, 2}), {.training = true});
  const Array values = to_array(y);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t k = 0; k < 3; ++k)
      for (int64_t j = 1; j < 4; ++j) EXPECT_EQ((values[{i, j, k}] == 0), (values[{i, 0, k}] == 0));
}

TEST(Dropout, DropsAll) {
  const Tensor y =
      layers::Dropout({.rate = 1})(random_tensor({float32, {3, 3}}), {.training = true});
  expect_equal(y, Array({3, 3}), float32);
}

/// The gradient is what was kept, with the same mask.
TEST(Dropout, HasTheGradientOfItsMask) {
  const layers::Dropout dropout({.rate = 0.5});
  const Tensor x = random_tensor({float32, {8, 8}}, {1, 2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = dropout(x, {.training = true});
  const Array gradient = to_array(tape.gradient(y, x)), values = to_array(y);
  for (int64_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(gradient.values[i], values.values[i] == 0 ? 0 : 2);
}

TEST(Dropout, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::Dropout({.rate = 1.5}), InvalidArgumentError,
               "Dropout: the rate is a number from 0 to 1. Got 1.5.");
  EXPECT_ERROR(layers::Dropout({.rate = 0.5, .noise_shape = {2}})(random_tensor({float32, {2, 2}}),
                                                                  {.training = true}),
               InvalidArgumentError, "noise_shape must have as many dimensions as the input");
}
