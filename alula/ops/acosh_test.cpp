#include "alula/ops/acosh.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(acosh) {
  check_elementwise(alula::acosh, [](double x) { return std::acosh(x); }, {.from = 1.1, .to = 30});
  const Tensor x = {0.5f, -2.f, 1.0001f, 10001.f, 3e38f};
  const std::vector<float> y = alula::acosh(x).to_vector<float>();
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
  for (size_t i = 2; i < y.size(); ++i)
    EXPECT_NEAR(y[i] / std::acosh(double{x.to_vector<float>()[i]}), 1, 1e-6) << i;
}
