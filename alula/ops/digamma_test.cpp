#include "alula/ops/digamma.h"

#include "alula/testing/elementwise_harness.h"
#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Recurrence to a large argument, and Stirling's series there.
double plain_digamma(double x) {
  if (x <= 0 && x == std::floor(x)) return NAN;
  long double sum = 0, at = x;
  for (; at < 40; ++at) sum -= 1 / at;
  const long double w = 1 / (at * at);
  return static_cast<double>(sum + std::log(at) - 0.5L / at -
                             w * (1.L / 12 - w * (1.L / 120 - w * (1.L / 252 - w / 240))));
}

}  // namespace

OP_TEST(digamma) {
  check_elementwise(digamma, plain_digamma, {.from = 0.05, .to = 12, .specials = false});
  check_elementwise(digamma, plain_digamma, {.from = -0.9, .to = -0.1, .specials = false});
  check_elementwise(digamma, plain_digamma, {.from = 5, .to = 1e5, .specials = false});
  const std::vector<double> values = {1e-3, 0.5, 1,      1.4616, 1.4617, 1.5,  3,
                                      7.99, 8,   8.0001, 1e4,    -0.5,   -2.3, -7.7};
  const std::vector<double> results = digamma(Tensor(values)).to_vector<double>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(results[i], plain_digamma(values[i]), 4e-14 * std::abs(plain_digamma(values[i])))
        << values[i];
  // Beside the root, floats keep their digits, too.
  EXPECT_NEAR(digamma(Tensor(1.4616f)).item<float>() / plain_digamma(1.4616f), 1, 1e-6);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_equal(digamma({0., -3., kInfinity, -kInfinity, NAN}),
               {{5}, {NAN, NAN, kInfinity, NAN, NAN}}, float32);
}

TEST(Digamma, DifferentiatesTwice) {
  compare_second_gradient([](const std::vector<Tensor>& in) { return digamma(in[0]); },
                          {constant({0.3, 1.2, 3.7, 9.5, -0.4, -1.7}, float64)});
}
