#include "alula/ops/erfinv.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Newton's method on 1 - erf, from a formula that is right to three digits.
double plain_erfinv(double x) {
  if (!(std::abs(x) < 1)) return std::abs(x) == 1 ? x * INFINITY : NAN;
  if (std::abs(x) < 1e-4) return 0.5 * std::sqrt(M_PI) * (x + M_PI / 12 * x * x * x);
  const long double wanted = 1 - std::abs(static_cast<long double>(x));
  const long double w = std::log(wanted * (2 - wanted));
  const long double c = 2 / (M_PI * 0.147) + w / 2;
  long double y = std::sqrt(std::sqrt(c * c - w / 0.147) - c);
  for (int i = 0; i < 6; ++i)
    y += (std::erfc(y) - wanted) * std::sqrt(std::acos(-1.0L)) / 2 * std::exp(y * y);
  return static_cast<double>(std::copysign(y, static_cast<long double>(x)));
}

}  // namespace

OP_TEST(erfinv) {
  check_elementwise(erfinv, plain_erfinv, {.from = -1, .to = 1});
  // The ends, where only few numbers are left beside 1, and the joint of the two formulas.
  std::vector<double> values;
  for (int i = 1; i <= 53; ++i) values.push_back(1 - std::ldexp(1., -i));
  for (int i = 1; i <= 300; ++i) values.push_back(std::ldexp(-1., -i));
  for (int i = -8; i <= 8; ++i) values.push_back(0.8125 + i * 1e-16);
  const std::vector<double> results = erfinv(Tensor(values)).to_vector<double>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(results[i] / plain_erfinv(values[i]), 1, 2e-15) << values[i];
}
