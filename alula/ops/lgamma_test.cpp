#include "alula/ops/lgamma.h"

#include "alula/ops/lbeta.h"
#include "alula/testing/elementwise_harness.h"
#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(lgamma) {
  const auto plain = [](double x) { return std::lgamma(x); };
  check_elementwise(alula::lgamma, plain, {.from = 0.01, .to = 12});
  check_elementwise(alula::lgamma, plain, {.from = 5, .to = 60, .specials = false});
  check_elementwise(alula::lgamma, plain, {.from = -0.8, .to = -0.2});
  // Between the poles, beside the zeros at 1 and 2 and where formulas meet, in relative terms.
  std::vector<double> values = {1e-300, 1e-20, 1e-3, 0.99, 1 + 1e-9, 1.5,  2 - 1e-9, 2.1,  7.999, 8,
                                8.001,  30,    1e3,  1e15, 1e300,    -0.5, -1e-9,    -3.3, -20.7};
  const std::vector<double> results = alula::lgamma(Tensor(values)).to_vector<double>();
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(results[i] / std::lgamma(values[i]), 1, 2e-14) << values[i];
  const std::vector<float> small = {1e-30f,  0.3f, 0.9999f, 1.0001f, 1.9999f,
                                    2.0001f, 5.f,  9.f,     1e30f};
  const std::vector<float> singles = alula::lgamma(Tensor(small)).to_vector<float>();
  for (size_t i = 0; i < small.size(); ++i)
    EXPECT_NEAR(singles[i] / std::lgamma(double{small[i]}), 1, 1e-6) << small[i];
  EXPECT_FALSE(std::signbit(alula::lgamma(Tensor(1.f)).item<float>()));
  EXPECT_TRUE(std::isinf(alula::lgamma(Tensor(-3.f)).item<float>()));
}

TEST(Lgamma, DifferentiatesTwice) {
  compare_second_gradient([](const std::vector<Tensor>& in) { return alula::lgamma(in[0]); },
                          {constant({0.3, 1.2, 1.9, 3.7, 9.5, -0.4, -1.7}, float64)});
}

TEST(Lbeta, SumsAlongTheLastAxis) {
  expect_equal(lbeta({{1., 2.}, {3., 4.}}), {{2}, {-std::log(2.), -std::log(60.)}}, float32);
  EXPECT_ERROR(lbeta(Tensor(1.)), InvalidArgumentError, "lbeta: takes vectors");
}
