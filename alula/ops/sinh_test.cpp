#include "alula/ops/sinh.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(sinh) {
  check_elementwise(alula::sinh, [](double x) { return std::sinh(x); }, {.from = -5, .to = 5});
  const Tensor x = {1e-8f, -1e-4f, 89.f, -89.f, 0.99f, 1.01f};
  const std::vector<float> y = alula::sinh(x).to_vector<float>();
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i] / std::sinh(double{x.to_vector<float>()[i]}), 1, 2e-6) << i;
}
