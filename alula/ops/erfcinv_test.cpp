#include "alula/ops/erfcinv.h"

#include "alula/ops/ndtri.h"
#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Newton's method on the logarithm of erfc, from the right.
double plain_erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0 || x == 2) return x == 0 ? INFINITY : -INFINITY;
  if (x > 1) return -plain_erfcinv(2 - x);
  const long double wanted = x;
  long double y = x > 0.5 ? 0.5L : std::sqrt(-std::log(wanted));
  for (long double step = 1; std::abs(step) > 1e-18L * y;) {
    const long double value = std::erfc(y);
    step = std::log(value / wanted) * value * std::sqrt(std::acos(-1.0L)) / 2 * std::exp(y * y);
    y += step;
  }
  return static_cast<double>(y);
}

double plain_ndtri(double x) { return -std::sqrt(2.) * plain_erfcinv(2 * x); }

const std::vector<double> kTails = {1e-300, 1e-100, 1e-30,  1e-16, 2e-15, 1e-14, 1e-5,
                                    0.1,    0.1874, 0.1876, 0.5,   0.9,   0.99};

}  // namespace

OP_TEST(erfcinv) {
  check_elementwise(erfcinv, plain_erfcinv, {.from = 0.001, .to = 1.999});
  const std::vector<double> results = erfcinv(Tensor(kTails)).to_vector<double>();
  for (size_t i = 0; i < kTails.size(); ++i)
    EXPECT_NEAR(results[i] / plain_erfcinv(kTails[i]), 1, 4e-15) << kTails[i];
  EXPECT_NEAR(erfcinv(Tensor(1e-30f)).item<float>(), 8.1486162, 4e-6);
}

OP_TEST(ndtri) {
  check_elementwise(ndtri, plain_ndtri, {.from = 0.001, .to = 0.999});
  const std::vector<double> results = ndtri(Tensor(kTails)).to_vector<double>();
  for (size_t i = 0; i < kTails.size(); ++i)
    EXPECT_NEAR(results[i], plain_ndtri(kTails[i]),
                1e-18 + 4e-15 * std::abs(plain_ndtri(kTails[i])))
        << kTails[i];
  EXPECT_EQ(ndtri(Tensor(0.5f)).item<float>(), 0);
}
