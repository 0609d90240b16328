#include "alula/ops/leaky_relu.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(leaky_relu) {
  check_elementwise(
      leaky_relu_op, [](const Tensor& x) { return leaky_relu(x); },
      [](double x) { return x > 0 ? x : 0.2 * x; });
  check_elementwise(
      leaky_relu_op, [](const Tensor& x) { return leaky_relu(x, 1.5); },
      [](double x) { return x > 0 ? x : 1.5 * x; });
}
