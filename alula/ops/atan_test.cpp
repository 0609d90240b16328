#include "alula/ops/atan.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(atan) {
  check_elementwise(alula::atan, [](double x) { return std::atan(x); }, {.from = -8, .to = 8});
  std::vector<double> values;
  for (int i = -400; i <= 400; ++i) values.push_back(i * 0.013);
  for (int i = -300; i <= 300; ++i) values.push_back(std::ldexp(1., i));
  const std::vector<double> results = alula::atan(Tensor(values)).to_vector<double>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(results[i], std::atan(values[i]), 4e-16 * std::abs(std::atan(values[i])))
        << values[i];
}
