#include "alula/ops/asin.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(asin) {
  check_elementwise(alula::asin, [](double x) { return std::asin(x); }, {.from = -0.9, .to = 0.9});
  const std::vector<double> y =
      alula::asin(Tensor(std::vector<double>{-1, 1, 2})).to_vector<double>();
  EXPECT_NEAR(y[0], std::asin(-1.), 1e-15);
  EXPECT_NEAR(y[1], std::asin(1.), 1e-15);
  EXPECT_TRUE(std::isnan(y[2]));
}
