#include "alula/ops/cosh.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(cosh) {
  check_elementwise(alula::cosh, [](double x) { return std::cosh(x); }, {.from = -5, .to = 5});
  EXPECT_NEAR(alula::cosh(Tensor(89.f)).item<float>() / std::cosh(89.), 1, 2e-6);
}
