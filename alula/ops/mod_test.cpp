#include "alula/ops/mod.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(mod) {
  check_elementwise(alula::mod, [](double a, double b) { return std::fmod(a, b); },
                    {.from = 1, .to = 100, .specials = false});
  // Signs, and what no quotient can be formed of.
  EXPECT_EQ(mod({7, -7, 7, -7, 6}, {3, 3, -3, -3, -3}).to_vector<int>(),
            (std::vector<int>{1, 2, -2, -1, 0}));
  EXPECT_EQ(mod({7.f, -7.f, 7.f, -7.f}, {3.f, 3.f, -3.f, -3.f}).to_vector<float>(),
            (std::vector<float>{1, 2, -2, -1}));
  EXPECT_TRUE(std::isnan(mod({1.f}, {0.f}).item<float>()));
  EXPECT_EQ(mod(constant({-128}, int8), constant({-1}, int8)).item<int8_t>(), 0);
  EXPECT_ERROR(mod({1, 2}, {1, 0}), InvalidArgumentError, "mod: division by zero");
}
