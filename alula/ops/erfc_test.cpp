#include "alula/ops/erfc.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(erfc) {
  check_elementwise(alula::erfc, [](double x) { return std::erfc(x); }, {.from = -7, .to = 7});
  const std::vector<double> values = {-5, -0.1, 0.49, 0.5, 0.51, 1, 2.3, 6, 12.7, 25.01};
  const std::vector<double> results = alula::erfc(Tensor(values)).to_vector<double>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(results[i] / std::erfc(values[i]), 1, 2e-15) << values[i];
  for (float x : {0.6f, 2.3f, 5.7f, 8.9f})
    EXPECT_NEAR(alula::erfc(Tensor(x)).item<float>() / std::erfc(double{x}), 1, 1e-6) << x;
}
