#include "alula/ops/operators.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

void expect_values(const Tensor& actual, DType dtype, std::vector<double> values) {
  const auto size = static_cast<int64_t>(values.size());
  expect_equal(actual, Array({size}, std::move(values)), dtype);
}

}  // namespace

TEST(Operators, ComputeElementwise) {
  const Tensor a = {6.f, 7.f}, b = {4.f, -2.f};
  expect_values(a + b, float32, {10, 5});
  expect_values(a - b, float32, {2, 9});
  expect_values(a * b, float32, {24, -14});
  expect_values(a / b, float32, {1.5, -3.5});
  expect_values(a % b, float32, {2, -1});
  expect_values(-a, float32, {-6, -7});
  expect_equal(a + Tensor{{1.f}, {2.f}}, {{2, 2}, {7, 8, 8, 9}}, float32);
}

TEST(Operators, TakeNumbersOnEitherSide) {
  const Tensor x = {1.f, 4.f};
  expect_values(x + 1, float32, {2, 5});
  expect_values(1 + x, float32, {2, 5});
  expect_values(x - 0.5, float32, {0.5, 3.5});
  expect_values(1 - x, float32, {0, -3});
  expect_values(2 * x, float32, {2, 8});
  expect_values(1 / x, float32, {1, 0.25});
  expect_values(x % 3, float32, {1, 1});
  expect_values(constant({1, 2}, bfloat16) * 2.5, bfloat16, {2.5, 5});
  expect_values(constant({1, 2}, uint8) + 3, uint8, {4, 5});
}

TEST(Operators, Compare) {
  const Tensor a = {1, 2, 3}, b = {2, 2, 2};
  expect_values(a == b, boolean, {0, 1, 0});
  expect_values(a != b, boolean, {1, 0, 1});
  expect_values(a < b, boolean, {1, 0, 0});
  expect_values(a <= b, boolean, {1, 1, 0});
  expect_values(a > b, boolean, {0, 0, 1});
  expect_values(a >= b, boolean, {0, 1, 1});
  expect_values(a == 2, boolean, {0, 1, 0});
  expect_values(2 == a, boolean, {0, 1, 0});
  expect_values(2 != a, boolean, {1, 0, 1});
  expect_values(2 < a, boolean, {0, 0, 1});
  expect_values(a >= 3, boolean, {0, 0, 1});
}

TEST(Operators, CombineBools) {
  const Tensor a = {true, true, false, false}, b = {true, false, true, false};
  expect_values(a && b, boolean, {1, 0, 0, 0});
  expect_values(a || b, boolean, {1, 1, 1, 0});
  expect_values(!a, boolean, {0, 0, 1, 1});
  expect_values(a && true, boolean, {1, 1, 0, 0});
  expect_values(false || b, boolean, {1, 0, 1, 0});
}

TEST(Operators, Rebind) {
  Tensor x = {1.f, 2.f};
  const Tensor before = x;
  x += 1;
  x *= Tensor{2.f, 3.f};
  x -= 1;
  x /= 4;
  expect_values(x, float32, {0.75, 2});
  x %= 0.5;
  expect_values(x, float32, {0.25, 0});
  expect_values(before, float32, {1, 2});
}

TEST(Operators, DivideIntegersTruly) {
  const Tensor x = {3, 4};
  expect_values(x / 2, float64, {1.5, 2});
  expect_values(1 / x, float64, {1. / 3, 0.25});
}

TEST(Operators, SayWhatIsWrong) {
  const Tensor ints = {1, 2, 3}, floats = {1.f, 2.f, 3.f};
  EXPECT_ERROR(ints + 2.5, InvalidArgumentError,
               "add: 2.5 is not a value of int32, the dtype of the tensor beside it. Use cast().");
  EXPECT_ERROR(constant({1}, uint8) * 300, InvalidArgumentError,
               "mul: 300 is not a value of uint8");
  EXPECT_ERROR(floats + true, InvalidArgumentError, "add: 1 is not a value of float32");
  EXPECT_ERROR(
      floats + ints, InvalidArgumentError,
      "add: input 1 must be float32, like the others. Got float32[3], int32[3]. Use cast().");
  EXPECT_ERROR(floats + Tensor({1.f, 2.f}), InvalidArgumentError, "add: ");
  EXPECT_ERROR(floats + Tensor({1.f, 2.f}), InvalidArgumentError, "do not broadcast");
  EXPECT_ERROR(floats && floats, InvalidArgumentError, "logical_and: takes bool. Got float32");
  EXPECT_ERROR(ints % 0, InvalidArgumentError, "mod: division by zero");
  EXPECT_ERROR(Tensor() + floats, InvalidArgumentError, "add: the first input is not defined");
  EXPECT_ERROR(Tensor() + 1, InvalidArgumentError, "add: an input is not defined");
}

TEST(Operators, TakeVariables) {
  const Variable v(Tensor{1.f, 2.f});
  const Tensor x = {3.f, 4.f};
  expect_equal(v * v, {{2}, {1, 4}}, float32);
  expect_equal(x - v, {{2}, {2, 2}}, float32);
  expect_equal(v / x, {{2}, {1.0 / 3, 0.5}}, float32);
  expect_equal(2 * v + 1, {{2}, {3, 5}}, float32);
  expect_equal(-v, {{2}, {-1, -2}}, float32);
  expect_equal(v > 1.5f, {{2}, {0, 1}}, boolean);
}
