#include "alula/ops/elu.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(elu) {
  check_elementwise(
      elu_op, [](const Tensor& x) { return elu(x); },
      [](double x) { return x > 0 ? x : std::expm1(x); });
  check_elementwise(
      elu_op, [](const Tensor& x) { return elu(x, 0.5); },
      [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); });
  // No cancellation near 0.
  EXPECT_FLOAT_EQ(elu({-1e-6f}).item<float>(), std::expm1(-1e-6f));
}
