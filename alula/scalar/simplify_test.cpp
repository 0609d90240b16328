#include "alula/scalar/simplify.h"

#include <gtest/gtest.h>

using namespace alula;
using namespace alula::scalar;

namespace {

/// How a value made from two float32 inputs came about: "x", "y", a number, or an opcode.
std::string simplified(Scalar (*f)(Scalar, Scalar)) {
  Builder builder(Recording::kSimplified);
  const Scalar x = builder.input(float32);
  const Scalar y = builder.input(float32);
  const Scalar result = f(x, y);
  const Instruction& step = builder[result];
  if (step.opcode == Opcode::kInput) return step.index == 0 ? "x" : "y";
  if (step.opcode == Opcode::kConstant) return fmt::format("{}", step.number);
  return std::string(name_of(step.opcode));
}

}  // namespace

TEST(Simplify, DropsWhatChangesNothing) {
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return x + 0; }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return 0 + x; }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return x - 0; }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return x * 1; }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return 1 * x; }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return x / 1; }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return -(-x); }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar y) { return select(y < 0, x, x); }), "x");
}

TEST(Simplify, ComputesWithConstants) {
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return constant_like(x, 2) + 3; }), "5");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return constant_like(x, 2) - 3; }), "-1");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return constant_like(x, 2) * 3; }), "6");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return -constant_like(x, 2); }), "-2");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return 0 * x; }), "0");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return 0 / x; }), "0");
}

TEST(Simplify, FindsShorterWays) {
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return 0 - x; }), "neg");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return x * -1; }), "neg");
  EXPECT_EQ(simplified([](Scalar x, Scalar y) { return x + -y; }), "sub");
  EXPECT_EQ(simplified([](Scalar x, Scalar y) { return -x + y; }), "sub");
  EXPECT_EQ(simplified([](Scalar x, Scalar y) { return x - -y; }), "add");
}

TEST(Simplify, DropsCastsThereAndBack) {
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return cast(cast(x, float64), float32); }), "x");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return cast(cast(x, float16), float32); }), "cast");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return cast(cast(x, int64), float32); }), "cast");
}

TEST(Simplify, LeavesTheRest) {
  EXPECT_EQ(simplified([](Scalar x, Scalar y) { return x * y; }), "mul");
  EXPECT_EQ(simplified([](Scalar x, Scalar y) { return x - y; }), "sub");
  EXPECT_EQ(simplified([](Scalar x, Scalar) { return 1 / x; }), "div");
  Builder builder(Recording::kSimplified);
  const Scalar n = builder.input(int32);
  EXPECT_EQ(builder[n + 0].opcode, Opcode::kAdd);
}

TEST(Simplify, IsNotDoneUnlessAskedFor) {
  Builder builder;
  const Scalar x = builder.input(float32);
  EXPECT_EQ(builder[x * 1].opcode, Opcode::kMul);
}
