#include "alula/ops/sigmoid.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(sigmoid) {
  check_elementwise(alula::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
                    {.from = -20, .to = 20});
  // Neither overflow on the way nor a loss of small values.
  const auto values = sigmoid({-1000.f, -80.f, 80.f, 1000.f}).to_vector<float>();
  EXPECT_EQ(values[0], 0);
  EXPECT_NEAR(values[1] / std::exp(-80.), 1, 1e-6);
  EXPECT_EQ(values[2], 1);
  EXPECT_EQ(values[3], 1);
}
