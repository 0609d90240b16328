#include "alula/ops/asinh.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(asinh) {
  check_elementwise(alula::asinh, [](double x) { return std::asinh(x); });
  const Tensor x = {1e-8f, -1e-4f, 9999.f, 10001.f, -3e38f};
  const std::vector<float> y = alula::asinh(x).to_vector<float>();
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i] / std::asinh(double{x.to_vector<float>()[i]}), 1, 1e-6) << i;
}
