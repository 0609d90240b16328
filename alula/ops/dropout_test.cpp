#include "alula/ops/dropout.h"

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;

TEST(Dropout, KeepsTheMean) {
  const Tensor y = dropout(ones({100'000}), 0.25, {.seed = 3});
  EXPECT_NEAR(reduce_mean(y).item<float>(), 1, 0.02);
  for (float value : y.to_vector<float>())
    ASSERT_TRUE(value == 0 || std::abs(value - 4 / 3.f) < 1e-6);
  EXPECT_EQ(dropout(ones({3}), 0).to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

TEST(Dropout, SharesNoise) {
  const Tensor y = dropout(ones({50, 4}), 0.5, {.noise_shape = {50, 1}, .seed = 3});
  EXPECT_TRUE(reduce_all(equal(y, at(y, {kAll, {0, 1}}))).item<bool>());
}

TEST(Dropout, SaysWhatIsWrong) {
  EXPECT_ERROR(dropout(ones({3}), 1), InvalidArgumentError, "the rate is a number");
  EXPECT_ERROR(dropout(Tensor{1}, 0.5), InvalidArgumentError, "takes floating types");
  EXPECT_ERROR(dropout(ones({3}), 0.5, {.noise_shape = {1, 1}}), InvalidArgumentError,
               "noise_shape");
}
