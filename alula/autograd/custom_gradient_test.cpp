#include "alula/autograd/custom_gradient.h"

#include <cmath>

#include "alula/autograd/tape.h"
#include "alula/ops/cast.h"
#include "alula/ops/exp.h"
#include "alula/ops/fill.h"
#include "alula/ops/log.h"
#include "alula/ops/operators.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// log(1 + exp(x)), whose plain gradient is NaN where exp(x) overflows.
const auto log1pexp = custom_gradient([](const Tensor& x) {
  const Tensor e = alula::exp(x);
  return WithGradient{alula::log(1 + e), [e](const Tensor& dy) { return dy * (1 - 1 / (1 + e)); }};
});

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST(CustomGradient, IsUsedInstead) {
  const Variable x(Tensor{100.f, 0.f});
  GradientTape tape({.persistent = true});
  const Tensor y = log1pexp(x), plain = alula::log(1 + alula::exp(x));
  EXPECT_TRUE(std::isnan(tape.gradient(plain, x).to_vector<float>()[0]));
  expect_equal(tape.gradient(y, x), {{2}, {1, 0.5}}, float32);
  expect_equal(tape.gradient(y * y, x).to(kCPU).reshaped({2}),
               {{2}, {static_cast<double>(INFINITY), std::log(2)}}, float32);
}

TEST(CustomGradient, AgreesWithFiniteDifferences) {
  OpTest::compare_gradient([](const auto& in) { return log1pexp(in[0]) * in[0]; },
                           {random_tensor({float64, {3, 2}})});
}

TEST(CustomGradient, WorksWithoutATape) {
  expect_equal(log1pexp(Tensor{0.f}), {{1}, {std::log(2)}}, float32);
}

TEST(CustomGradient, HasASecondOrder) {
  const Variable x(Tensor(0.5f));
  GradientTape outer;
  Tensor slope;
  {
    GradientTape inner;
    slope = inner.gradient(log1pexp(x), x);
  }
  const double s = sigmoid(0.5);
  expect_equal(slope, {{}, {s}}, float32);
  expect_equal(outer.gradient(slope, x), {{}, {s * (1 - s)}}, float32, {.relative = 1e-5});
}

TEST(CustomGradient, NeedNotBeTheTrueOne) {
  const auto reversed = custom_gradient(
      [](const Tensor& x) { return WithGradient{x, [](const Tensor& dy) { return dy * -10; }}; });
  const Variable x(Tensor{1.f, 2.f});
  GradientTape tape;
  expect_equal(tape.gradient(reversed(x) * 2, x), {{2}, {-20, -20}}, float32);
}

TEST(CustomGradient, OfSeveralInputs) {
  const auto product = custom_gradient([](const Tensor& a, const Tensor& b) {
    return WithGradient{
        a * b, [a, b](const Tensor& dy) { return std::vector<Tensor>{dy * b * 10, dy * a * 100}; }};
  });
  const Variable a(Tensor(3.f)), b(Tensor(5.f));
  GradientTape tape;
  const std::vector<Tensor> gradients = tape.gradient(product(a, b), {a, b});
  EXPECT_EQ(gradients[0].item<float>(), 50);
  EXPECT_EQ(gradients[1].item<float>(), 300);
}

TEST(CustomGradient, OfSeveralValues) {
  const auto both = custom_gradient([](const Tensor& x) {
    return WithGradient{std::vector<Tensor>{x * 2, x * 3, cast(x, int32)},
                        [](const std::vector<Tensor>& dy) {
                          EXPECT_FALSE(dy[2].defined());  // integers have none
                          return dy[0] * 10 + dy[1] * 100;
                        }};
  });
  const Variable x(Tensor(1.f));
  GradientTape tape({.persistent = true});
  const std::vector<Tensor> values = both(x);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[1].item<float>(), 3);
  EXPECT_EQ(tape.gradient(values[0], x).item<float>(), 10);
  EXPECT_EQ(tape.gradient(values[0] + values[1], x).item<float>(), 110);
}

TEST(CustomGradient, MayBeNone) {
  const auto f = custom_gradient([](const Tensor& a, const Tensor& b) {
    return WithGradient{a + b, [](const Tensor& dy) { return std::vector<Tensor>{dy, Tensor()}; }};
  });
  const Variable a(Tensor(3.f)), b(Tensor(5.f));
  GradientTape tape;
  const std::vector<Tensor> gradients = tape.gradient(f(a, b), {a, b});
  EXPECT_EQ(gradients[0].item<float>(), 1);
  EXPECT_FALSE(gradients[1].defined());
}

TEST(CustomGradient, LeavesOutVariablesThatAreNoInputs) {
  const Variable scale(Tensor(5.f)), x(Tensor(3.f));
  const auto scaled = custom_gradient([&](const Tensor& x) {
    return WithGradient{x * scale.value(),
                        [s = scale.value()](const Tensor& dy) { return dy * s; }};
  });
  GradientTape tape;
  const std::vector<Tensor> gradients = tape.gradient(scaled(x), {x, scale});
  EXPECT_EQ(gradients[0].item<float>(), 5);
  EXPECT_FALSE(gradients[1].defined());
}

TEST(CustomGradient, WorksOnAnotherDevice) {
  test_devices();
  const Variable x(Tensor{0.f, 1.f}.to("/SIM:0"));
  GradientTape tape;
  const Tensor y = log1pexp(x);
  EXPECT_EQ(y.device(), Device("/SIM:0"));
  expect_equal(tape.gradient(y, x), {{2}, {0.5, sigmoid(1)}}, float32);
}

TEST(CustomGradient, RunsLaterWhereItsInputsAreYetToCome) {
  const Tensor input = Tensor::symbolic({float32, {kUnknown, 2}}, Ref<Note>(new Symbol));
  const Tensor y = log1pexp(input);
  ASSERT_TRUE(y.is_symbolic());
  EXPECT_EQ(to_string(y.spec()), "float32[?,2]");
  const Symbol* symbol = y.note<Symbol>();
  const Variable x(Tensor{{0.f, 1.f}});
  GradientTape tape;
  const Tensor value = x.value();
  const Tensor result = symbol->call->run(std::span(&value, 1))[symbol->index];
  expect_equal(tape.gradient(result, x), {{1, 2}, {0.5, sigmoid(1)}}, float32);
}

TEST(CustomGradient, SaysWhatIsWrongWithTheRule) {
  const Variable a(Tensor{1.f, 2.f}), b(Tensor{3.f, 4.f});
  const auto too_few = custom_gradient([](const Tensor& a, const Tensor& b) {
    return WithGradient{a + b, [](const Tensor& dy) { return dy; }};
  });
  const auto other_shape = custom_gradient([](const Tensor& x) {
    return WithGradient{x * 2, [](const Tensor&) { return Tensor(1.f); }};
  });
  const auto undefined = custom_gradient(
      [](const Tensor&) { return WithGradient{Tensor(), [](const Tensor& dy) { return dy; }}; });
  GradientTape tape({.persistent = true});
  EXPECT_ERROR(tape.gradient(too_few(a, b), a), InvalidArgumentError,
               "custom_gradient: the function of the gradient gave 1 tensor for 2 inputs");
  EXPECT_ERROR(tape.gradient(other_shape(a), a), InvalidArgumentError,
               "with respect to input 0 must be like it, float32[2]. Got float32[]");
  EXPECT_ERROR(undefined(a), InvalidArgumentError, "gave an undefined tensor");
}
