#include "alula/ops/round.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(round) {
  check_elementwise(alula::round, [](double x) { return std::nearbyint(x); });
  EXPECT_EQ(alula::round({-1.5f, -0.5f, 0.5f, 1.5f, 2.5f}).to_vector<float>(),
            (std::vector<float>{-2, 0, 0, 2, 2}));
}
