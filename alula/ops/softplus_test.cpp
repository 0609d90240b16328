#include "alula/ops/softplus.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(softplus) {
  check_elementwise(alula::softplus,
                    [](double x) { return std::max(x, 0.) + std::log1p(std::exp(-std::abs(x))); },
                    {.from = -30, .to = 30});
  EXPECT_EQ(softplus({1000.f, -1000.f}).to_vector<float>(), (std::vector<float>{1000, 0}));
}
