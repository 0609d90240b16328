#include "alula/ops/clip.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(clip) {
  check_elementwise(
      clip, [](double x, double low, double high) { return std::max(std::min(x, high), low); });
  expect_equal(clip({-1.f, 0.5f, 8.f}, 0, 1), {{3}, {0, 0.5, 1}}, float32);
  expect_equal(clip({-1, 5, 8}, 0, {3, 4, 9}), {{3}, {0, 4, 8}}, int32);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(clip({nan}, 0, 1).item<float>()));
  EXPECT_TRUE(std::isnan(clip({0.5f}, nan, 1).item<float>()));
  EXPECT_TRUE(std::isnan(clip({0.5f}, 0, nan).item<float>()));
  EXPECT_ERROR(clip({1, 2}, 0, 1.5), InvalidArgumentError, "clip: 1.5 is not a value of int32");
  EXPECT_ERROR(clip({1, 2}, {0, 0, 0}, 1), InvalidArgumentError, "do not broadcast");
}
