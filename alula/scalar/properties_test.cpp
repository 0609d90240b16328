#include "alula/scalar/properties.h"

#include <gtest/gtest.h>

#include "alula/scalar/gradient.h"
#include "alula/scalar/scalar.h"

using namespace alula;
using namespace alula::scalar;

namespace {

template <class F>
std::unique_ptr<Program> program_of(const F& f) {
  Builder builder;
  const Scalar x = builder.input(float32), other = builder.input(float32),
               parameter = builder.parameter(float32);
  const Scalar results[] = {f(x, other, parameter)};
  return builder.finish("f", results);
}

/// Whether f(x, other, parameter) is proved not to fall as x grows.
template <class F>
bool grows(const F& f, double parameter = 0.5) {
  const double parameters[] = {parameter};
  return is_non_decreasing(*program_of(f), 0, parameters);
}

template <class F>
bool linear(const F& f) {
  return is_linear(*program_of(f), 0);
}

}  // namespace

TEST(Properties, ActivationsGrow) {
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return max(x, 0); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return min(max(x, 0), 6); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar a) { return select(x > 0, x, a * x); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar a) { return select(x > 0, x, a * expm1(x)); }));
  EXPECT_TRUE(grows(
      [](Scalar x, Scalar, Scalar) { return select(x > 0, 1.05 * x, 1.05 * 1.67 * expm1(x)); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return tanh(x); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return 1 / (1 + exp(-x)); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar b, Scalar) { return max(x + b, 0) * 3 - b; }));
  EXPECT_TRUE(grows([](Scalar x, Scalar b, Scalar a) {
    const Scalar sum = x + b;
    return select(sum > 0, sum, a * sum);
  }));
  EXPECT_TRUE(grows([](Scalar, Scalar b, Scalar) { return b * b; }));  // x plays no part
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return -(-3 * x); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return exp(x) * exp(floor(x)); }));
}

TEST(Properties, OthersMayFall) {
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return -x; }));
  EXPECT_FALSE(grows([](Scalar x, Scalar b, Scalar) { return x * b; }));  // b may be negative
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar a) { return x * a; }, -1));
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return x * x; }));
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return x / (1 + exp(-x)); }));  // silu
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return x * (1 + erf(x)); }));   // gelu
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return abs(x); }));
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return sin(x); }));
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return 1 / x; }));
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return max(x, -x); }));
  // A step down, and a step at a place that is not known.
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return select(x > 0, x - 1, x); }));
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar) { return select(x < 0, x, x - 1); }));
  EXPECT_FALSE(grows([](Scalar x, Scalar b, Scalar) { return select(x > b, x, 2 * x); }));
  EXPECT_FALSE(grows([](Scalar x, Scalar, Scalar a) { return select(x > 0, x, a * x); }, -0.5));
}

TEST(Properties, AStepUpIsNoFall) {
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return select(x > 0, x + 1, x); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar, Scalar) { return select(x < 0, tanh(x), x + 1); }));
  EXPECT_TRUE(grows([](Scalar x, Scalar b, Scalar) { return select(b > 0, x, 2 * x); }));
}

TEST(Properties, GradientsAreLinearInDy) {
  EXPECT_TRUE(linear([](Scalar x, Scalar y, Scalar) { return select(y > 0, x, 0); }));
  EXPECT_TRUE(linear([](Scalar x, Scalar y, Scalar) { return x * y * (1 - y); }));
  EXPECT_TRUE(linear([](Scalar x, Scalar y, Scalar a) { return -x / y + a * x; }));
  EXPECT_TRUE(linear([](Scalar x, Scalar y, Scalar a) { return select(y > 0, x, a * x) - x; }));
  EXPECT_FALSE(linear([](Scalar x, Scalar y, Scalar) { return x + y; }));
  EXPECT_FALSE(linear([](Scalar x, Scalar, Scalar) { return x * x; }));
  EXPECT_FALSE(linear([](Scalar x, Scalar y, Scalar) { return y / x; }));
  EXPECT_FALSE(linear([](Scalar x, Scalar y, Scalar) { return select(x > 0, x, y); }));
  EXPECT_FALSE(linear([](Scalar x, Scalar y, Scalar) { return select(y > 0, x, 1); }));
  EXPECT_FALSE(linear([](Scalar x, Scalar, Scalar) { return max(x, 0); }));
  EXPECT_FALSE(linear([](Scalar, Scalar y, Scalar) { return y; }));
}
