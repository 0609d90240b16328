#include "alula/ops/floordiv.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(floordiv) {
  check_elementwise(alula::floordiv, [](double a, double b) { return std::floor(a / b); },
                    {.from = 1, .to = 100});
  // Signs, and the one quotient that does not fit.
  EXPECT_EQ(floordiv({7, -7, 7, -7, 6}, {2, 2, -2, -2, -3}).to_vector<int>(),
            (std::vector<int>{3, -4, -4, 3, -2}));
  EXPECT_EQ(floordiv({7.f, -7.f}, {2.f, 2.f}).to_vector<float>(), (std::vector<float>{3, -4}));
  EXPECT_EQ(floordiv(constant({-128}, int8), constant({-1}, int8)).item<int8_t>(), -128);
  EXPECT_ERROR(floordiv({1, 2}, {1, 0}), InvalidArgumentError, "floordiv: division by zero");
}
