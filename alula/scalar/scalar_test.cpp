#include "alula/scalar/scalar.h"

#include <gtest/gtest.h>

#include "alula/core/error.h"

using namespace alula;
using namespace alula::scalar;

namespace {

/// The code of a function of one float32, without the first line, which is its input.
std::string code_of(Scalar (*f)(Scalar)) {
  Builder builder;
  const Scalar result = f(builder.input(float32));
  const std::string text = builder.finish("f", {&result, 1})->str();
  return text.substr(text.find('\n') + 1);
}

}  // namespace

TEST(Scalar, RecordsWhatIsComputed) {
  EXPECT_EQ(code_of([](Scalar x) { return x / (1 + exp(-x)); }),
            "%1 = neg float32 %0\n"
            "%2 = exp float32 %1\n"
            "%3 = constant float32 1\n"
            "%4 = add float32 %3 %2\n"
            "%5 = div float32 %0 %4\n"
            "return %5\n");
}

TEST(Scalar, RecordsEqualInstructionsOnce) {
  // One thing a line: C++ does not say which operand of an operator comes first.
  EXPECT_EQ(code_of([](Scalar x) {
              const Scalar a = exp(x);
              const Scalar b = x + 1;
              const Scalar c = exp(x) * a;
              return c - (x + 1) * b;
            }),
            "%1 = exp float32 %0\n"
            "%2 = constant float32 1\n"
            "%3 = add float32 %0 %2\n"
            "%4 = mul float32 %1 %1\n"
            "%5 = mul float32 %3 %3\n"
            "%6 = sub float32 %4 %5\n"
            "return %6\n");
}

TEST(Scalar, TellsZeroFromMinusZero) {
  EXPECT_EQ(code_of([](Scalar x) {
              const Scalar is_negative = x < 0.0;
              return select(is_negative, x, -0.0);
            }),
            "%1 = constant float32 0\n"
            "%2 = less bool %0 %1\n"
            "%3 = constant float32 -0\n"
            "%4 = select float32 %2 %0 %3\n"
            "return %4\n");
}

TEST(Scalar, TakesNumbersAsConstantsOfItsDType) {
  Builder builder;
  const Scalar x = builder.input(int16);
  EXPECT_EQ((x + 1).dtype(), int16);
  EXPECT_EQ((1 - x).dtype(), int16);
  EXPECT_EQ(max(x, 0).dtype(), int16);
  EXPECT_EQ(constant_like(x, 7).dtype(), int16);
}

TEST(Scalar, KnowsTheDTypeOfItsResult) {
  Builder builder;
  const Scalar x = builder.input(float64), y = builder.input(float64);
  EXPECT_EQ((x * y).dtype(), float64);
  EXPECT_EQ((x < y).dtype(), boolean);
  EXPECT_EQ((x == 2).dtype(), boolean);
  EXPECT_EQ((!(x > y)).dtype(), boolean);
  EXPECT_EQ((x < y && y < x).dtype(), boolean);
  EXPECT_EQ(select(x < y, x, y).dtype(), float64);
  EXPECT_EQ(cast(x, int8).dtype(), int8);
  EXPECT_EQ(cast(x, float64).position(), x.position());
}

TEST(Scalar, ComparesTheOtherWayByTurningTheOperandsRound) {
  EXPECT_EQ(code_of([](Scalar x) { return exp(x) >= x; }),
            "%1 = exp float32 %0\n"
            "%2 = less_equal bool %0 %1\n"
            "return %2\n");
}

TEST(Scalar, EvaluatesAPolynomialByHornersRule) {
  EXPECT_EQ(code_of([](Scalar x) {
              constexpr double kCoefficients[] = {1, 2, 3};
              return polynomial(x, kCoefficients);
            }),
            "%1 = constant float32 3\n"
            "%2 = mul float32 %1 %0\n"
            "%3 = constant float32 2\n"
            "%4 = add float32 %2 %3\n"
            "%5 = mul float32 %4 %0\n"
            "%6 = constant float32 1\n"
            "%7 = add float32 %5 %6\n"
            "return %7\n");
  constexpr double kCoefficients[] = {1, 2, 3};
  EXPECT_EQ(polynomial(2., kCoefficients), 17);
}

TEST(Builder, MayStandWithinAnother) {
  Builder outer;
  const Scalar x = outer.input(float32);
  {
    Builder inner;
    EXPECT_EQ(&Builder::current(), &inner);
    const Scalar y = inner.input(int32);
    EXPECT_EQ(y.dtype(), int32);
  }
  EXPECT_EQ(&Builder::current(), &outer);
  EXPECT_EQ(x.dtype(), float32);
}

TEST(Builder, MustBeThereToRecord) { EXPECT_THROW(Builder::current(), InternalError); }
