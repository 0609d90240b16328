#include "alula/ops/gelu.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(gelu) {
  check_elementwise(
      gelu_op, [](const Tensor& x) { return gelu(x); },
      [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.))); },
      {.from = -10, .to = 10});
}

OP_TEST(gelu_approximate) {
  check_elementwise(
      gelu_approximate_op, [](const Tensor& x) { return gelu(x, {.approximate = true}); },
      [](double x) {
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
      },
      {.from = -10, .to = 10});
}
