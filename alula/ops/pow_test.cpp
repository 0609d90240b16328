#include "alula/ops/pow.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(pow) {
  check_elementwise(alula::pow, [](double a, double b) { return std::pow(a, b); },
                    {.from = 0, .to = 3});
  EXPECT_EQ(alula::pow({-2, -2, 0}, {2, 3, 0}).to_vector<int>(), (std::vector<int>{4, -8, 1}));
  EXPECT_EQ(alula::pow({-2.f, -2.f}, {2.f, 3.f}).to_vector<float>(), (std::vector<float>{4, -8}));
  EXPECT_TRUE(std::isnan(alula::pow({-2.f}, {0.5f}).item<float>()));
  EXPECT_ERROR(alula::pow({2, 2}, {1, -1}), InvalidArgumentError,
               "pow: an integer cannot be raised");
}
