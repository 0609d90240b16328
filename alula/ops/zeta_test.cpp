#include "alula/ops/zeta.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Many terms of the sum, and an integral with two corrections for the others.
double plain_zeta(double x, double q) {
  long double sum = 0;
  long double at = q;
  for (int i = 0; i < 400; ++i, ++at) sum += std::pow(at, -static_cast<long double>(x));
  const long double last = std::pow(at, -static_cast<long double>(x));
  return static_cast<double>(sum + last * at / (x - 1) + last / 2 + last * x / (12 * at) -
                             last * x * (x + 1) * (x + 2) / (720 * at * at * at));
}

}  // namespace

OP_TEST(zeta) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (int64_t n : {1, 5, 40})
      OpTest::check(
          [](const auto& in) { return zeta(in[0], in[1]); },
          {random_tensor({dtype, {n}}, {1.5, 8}), random_tensor({dtype, {3, n}}, {0.6, 5})},
          [](const auto& in) {
            Array result(in[1].shape);
            const int64_t n = in[0].size();
            for (int64_t i = 0; i < result.size(); ++i)
              result.values[i] = plain_zeta(in[0].values[i % n], in[1].values[i]);
            return result;
          },
          {.relative = dtype == float32   ? 3e-6
                       : dtype == float64 ? 2e-13
                                          : tolerance_of(dtype)});
  expect_equal(zeta(constant({2., 1.0001, 40., 2., 3.}, float64),
                    constant({1., 1., 1., 1e6, 1e-3}, float64)),
               {{5},
                {1.6449340668482264, 10000.577222946492, 1.000000000000909, 1.0000005000001667e-6,
                 1000000001.1988094}},
               float64, {.relative = 2e-13, .scale = 0});
  expect_equal(zeta({1., 0.5, 2., 2., 2., NAN}, {1., 1., 0., -3., -1.5, 1.}),
               {{6}, {kInfinity, NAN, kInfinity, kInfinity, NAN, NAN}}, float32);
}
