#include "alula/ops/acos.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(acos) {
  check_elementwise(alula::acos, [](double x) { return std::acos(x); }, {.from = -0.9, .to = 0.9});
  const std::vector<double> y =
      alula::acos(Tensor(std::vector<double>{-1, 1, 2})).to_vector<double>();
  EXPECT_NEAR(y[0], std::acos(-1.), 1e-15);
  EXPECT_EQ(y[1], 0);
  EXPECT_TRUE(std::isnan(y[2]));
}
