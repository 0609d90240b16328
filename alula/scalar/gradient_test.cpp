#include "alula/scalar/gradient.h"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

using namespace alula;
using namespace alula::scalar;

namespace {

using Numbers = std::vector<double>;

double apply(const Instruction& step, double a, double b, double c) {
  switch (step.opcode) {
    case Opcode::kCast: return a;
    case Opcode::kNeg: return -a;
    case Opcode::kAbs: return std::abs(a);
    case Opcode::kSqrt: return std::sqrt(a);
    case Opcode::kExp: return std::exp(a);
    case Opcode::kExpm1: return std::expm1(a);
    case Opcode::kLog: return std::log(a);
    case Opcode::kLog1p: return std::log1p(a);
    case Opcode::kSin: return std::sin(a);
    case Opcode::kCos: return std::cos(a);
    case Opcode::kTan: return std::tan(a);
    case Opcode::kTanh: return std::tanh(a);
    case Opcode::kErf: return std::erf(a);
    case Opcode::kFloor: return std::floor(a);
    case Opcode::kAdd: return a + b;
    case Opcode::kSub: return a - b;
    case Opcode::kMul: return a * b;
    case Opcode::kDiv: return a / b;
    case Opcode::kFloorDiv: return std::floor(a / b);
    case Opcode::kMod: return a - b * std::floor(a / b);
    case Opcode::kPow: return std::pow(a, b);
    case Opcode::kMin: return std::min(a, b);
    case Opcode::kMax: return std::max(a, b);
    case Opcode::kEqual: return a == b;
    case Opcode::kLess: return a < b;
    case Opcode::kLessEqual: return a <= b;
    case Opcode::kAnd: return a != 0 && b != 0;
    case Opcode::kOr: return a != 0 || b != 0;
    case Opcode::kSelect: return a != 0 ? b : c;
    default: ADD_FAILURE() << "no case for " << name_of(step.opcode); return 0;
  }
}

/// The results of a program, computed in double.
Numbers evaluate(const Program& program, const Numbers& inputs, const Numbers& parameters = {}) {
  Numbers values;
  for (const Instruction& step : program.code()) {
    if (step.opcode == Opcode::kInput)
      values.push_back(inputs[step.index]);
    else if (step.opcode == Opcode::kParameter)
      values.push_back(parameters[step.index]);
    else if (step.opcode == Opcode::kConstant)
      values.push_back(step.number);
    else
      values.push_back(apply(step, values[step.operands[0]], values[step.operands[1]],
                             values[step.operands[2]]));
  }
  Numbers results;
  for (uint16_t result : program.results()) results.push_back(values[result]);
  return results;
}

/// A function of two numbers, of which it may read one.
using ScalarFunction = std::function<Scalar(Scalar, Scalar)>;

std::unique_ptr<Program> record(const ScalarFunction& f, DType dtype = float64,
                                const GivenGradient& gradient = {}) {
  Builder builder;
  const Scalar a = builder.input(dtype);
  const Scalar b = builder.input(dtype);
  const DType computed = is_half(dtype) ? float32 : dtype;
  Scalar result = f(cast(a, computed), cast(b, computed));
  if (result.dtype() == computed) result = cast(result, dtype);
  return builder.finish("f", {&result, 1}, gradient);
}

/// The gradients at a point with respect to all inputs, times dy.
Numbers gradients_at(const Program& program, const Numbers& inputs, const Numbers& dy) {
  const Gradient& gradient = gradient_of(program, ~uint64_t{0});
  const Numbers outputs = evaluate(program, inputs);
  Numbers read, computed;
  for (Source source : gradient.sources)
    read.push_back(source.kind == Source::Kind::kInput    ? inputs[source.index]
                   : source.kind == Source::Kind::kOutput ? outputs[source.index]
                                                          : dy[source.index]);
  if (gradient.program) computed = evaluate(*gradient.program, read);
  Numbers result;
  for (Partial partial : gradient.partials)
    result.push_back(partial.kind == Partial::Kind::kComputed ? computed[partial.index]
                     : partial.kind == Partial::Kind::kDy     ? dy[partial.index]
                                                              : 0);
  return result;
}

/// Compares the gradients of sum(dy * outputs) with central differences.
void expect_differences(const Program& program, const Numbers& inputs, const Numbers& dy) {
  const auto sum = [&](const Numbers& at) {
    const Numbers outputs = evaluate(program, at);
    double total = 0;
    for (size_t k = 0; k < outputs.size(); ++k) total += dy[k] * outputs[k];
    return total;
  };
  const Numbers actual = gradients_at(program, inputs, dy);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Numbers up = inputs, down = inputs;
    const double h = 1e-6;
    up[i] += h;
    down[i] -= h;
    const double expected = (sum(up) - sum(down)) / (2 * h);
    EXPECT_NEAR(actual[i], expected, 1e-6 * (1 + std::abs(expected) + std::abs(sum(inputs))))
        << "input " << i << " at " << inputs[0] << ", " << inputs.back() << "\n"
        << program.str();
  }
}

/// Checks the first and second derivatives of a function at a point.
void expect_right(const ScalarFunction& f, const Numbers& at) {
  const std::unique_ptr<Program> program = record(f);
  expect_differences(*program, at, {0.75});
  const Gradient& gradient = gradient_of(*program, 3);
  if (!gradient.program) return;
  const Numbers outputs = evaluate(*program, at);
  Numbers inputs;
  for (Source source : gradient.sources)
    inputs.push_back(source.kind == Source::Kind::kInput    ? at[source.index]
                     : source.kind == Source::Kind::kOutput ? outputs[0]
                                                            : 0.75);
  expect_differences(*gradient.program, inputs, {1.25, -0.5});
}

using Unary = Scalar (*)(Scalar);
using Binary = Scalar (*)(Scalar, Scalar);

std::string gradient_text(Unary f, DType dtype = float32) {
  Builder builder;
  const Scalar x = builder.input(dtype);
  const Scalar result = is_half(dtype) ? cast(f(cast(x, float32)), dtype) : f(x);
  const std::unique_ptr<Program> program = builder.finish("f", {&result, 1});
  const Gradient& gradient = gradient_of(*program, 1);
  return gradient.program ? gradient.program->str() : "";
}

Partial partial_of(Binary f, size_t input, DType dtype = float32) {
  return gradient_of(*record(f, dtype), 3).partials[input];
}

constexpr Source kX{Source::Kind::kInput, 0};
constexpr Source kY{Source::Kind::kOutput, 0};
constexpr Source kDy{Source::Kind::kDy, 0};
constexpr Partial kNothing{};
constexpr Partial kZero{Partial::Kind::kZero, 0};
constexpr Partial kDyItself{Partial::Kind::kDy, 0};

}  // namespace

TEST(Gradient, IsAProgram) {
  EXPECT_EQ(gradient_text([](Scalar x) { return exp(x); }),
            "%0 = input float32 0\n"
            "%1 = input float32 1\n"
            "%2 = mul float32 %1 %0\n"
            "return %2\n");
  EXPECT_EQ(gradient_text([](Scalar x) { return -x; }),
            "%0 = input float32 0\n"
            "%1 = neg float32 %0\n"
            "return %1\n");
  EXPECT_EQ(gradient_text([](Scalar x) { return x * x; }),
            "%0 = input float32 0\n"
            "%1 = input float32 1\n"
            "%2 = mul float32 %1 %0\n"
            "%3 = add float32 %2 %2\n"
            "return %3\n");
}

TEST(Gradient, ComputesHalvesInFloat32AndRoundsOnce) {
  EXPECT_EQ(gradient_text([](Scalar x) { return exp(x); }, bfloat16),
            "%0 = input bfloat16 0\n"
            "%1 = input bfloat16 1\n"
            "%2 = cast float32 %0\n"
            "%3 = cast float32 %1\n"
            "%4 = mul float32 %3 %2\n"
            "%5 = cast bfloat16 %4\n"
            "return %5\n");
}

TEST(Gradient, ReadsOnlyWhatItNeeds) {
  const auto sources = [](const ScalarFunction& f) { return gradient_of(*record(f), 1).sources; };
  EXPECT_EQ(sources([](Scalar x, Scalar) { return exp(x); }), (std::vector{kY, kDy}));
  EXPECT_EQ(sources([](Scalar x, Scalar) { return tanh(x); }), (std::vector{kY, kDy}));
  EXPECT_EQ(sources([](Scalar x, Scalar) { return sqrt(x); }), (std::vector{kY, kDy}));
  EXPECT_EQ(sources([](Scalar x, Scalar) { return x * x; }), (std::vector{kX, kDy}));
  EXPECT_EQ(sources([](Scalar x, Scalar) { return -x; }), (std::vector{kDy}));
  EXPECT_EQ(sources([](Scalar x, Scalar b) { return x + b; }), (std::vector<Source>{}));
  EXPECT_EQ(sources([](Scalar x, Scalar b) { return x * b; }),
            (std::vector{Source{Source::Kind::kInput, 1}, kDy}));
}

TEST(Gradient, KnowsWhereItIsDyItself) {
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return a + b; }, 0), kDyItself);
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return a - b; }, 0), kDyItself);
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return a + b; }, 1, float16), kDyItself);
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return a - b; }, 1).kind, Partial::Kind::kComputed);
}

TEST(Gradient, IsNothingWhereThereIsNoPath) {
  EXPECT_EQ(partial_of([](Scalar a, Scalar) { return floor(a); }, 0), kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar) { return ceil(a); }, 0), kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar) { return round_to_even(a); }, 0), kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return floor_divide(a, b); }, 1), kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return a < b; }, 0), kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar) { return exp(a); }, 1), kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return a * b; }, 0, int32), kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar) { return cast(cast(a, int32), float32); }, 0),
            kNothing);
  EXPECT_EQ(partial_of([](Scalar a, Scalar b) { return select(a < b, b, 2 * b); }, 0), kNothing);
}

TEST(Gradient, MayBeZeroEverywhere) {
  EXPECT_EQ(partial_of([](Scalar a, Scalar) { return a * 0; }, 0), kZero);
  EXPECT_EQ(partial_of([](Scalar a, Scalar) { return a - a; }, 0).kind, Partial::Kind::kComputed);
}

TEST(Gradient, IsComputedForTheWantedInputsOnly) {
  const std::unique_ptr<Program> program = record([](Scalar a, Scalar b) { return a * exp(b); });
  const Gradient& both = gradient_of(*program, 3);
  EXPECT_EQ(both.program->results().size(), 2u);
  const Gradient& first = gradient_of(*program, 1);
  EXPECT_EQ(first.program->results().size(), 1u);
  EXPECT_EQ(first.partials[1], kNothing);
  EXPECT_EQ(gradient_of(*program, 0).program, nullptr);
  EXPECT_EQ(&gradient_of(*program, 3), &both);
  EXPECT_EQ(&gradient_of(*program, ~uint64_t{0}), &both);
}

TEST(Gradient, CastsBack) {
  Builder builder;
  const Scalar x = builder.input(float32);
  const Scalar result = cast(x, float64);
  const std::unique_ptr<Program> program = builder.finish("f", {&result, 1});
  EXPECT_EQ(gradient_of(*program, 1).program->str(),
            "%0 = input float64 0\n"
            "%1 = cast float32 %0\n"
            "return %1\n");
}

TEST(Gradient, PassesParametersOn) {
  Builder builder;
  const Scalar x = builder.input(float64);
  builder.parameter(float64);
  const Scalar result = x * builder.parameter(float64);
  const std::unique_ptr<Program> program = builder.finish("f", {&result, 1});
  EXPECT_EQ(evaluate(*gradient_of(*program, 1).program, {2}, {3, 5}), (Numbers{10}));
}

TEST(Gradient, MayBeGiven) {
  const GivenGradient given{
      +[](Scalar, Scalar, Scalar y, Scalar dy) { return dy * y; },
      +[](Scalar, Scalar b, Scalar, Scalar dy) { return dy - b; },
  };
  const std::unique_ptr<Program> program =
      record([](Scalar a, Scalar b) { return a * b; }, float64, given);
  EXPECT_EQ(gradients_at(*program, {3, 5}, {2}), (Numbers{30, -3}));
  EXPECT_EQ(gradient_of(*program, 1).sources, (std::vector{kY, kDy}));
  const std::unique_ptr<Program> none =
      record([](Scalar a, Scalar b) { return a * b; }, float64, GivenGradient::none());
  EXPECT_EQ(gradient_of(*none, 3).partials[0], kNothing);
}

TEST(Gradient, AgreesWithDifferencesForEveryOpcode) {
  const std::vector<ScalarFunction> functions = {
      [](Scalar x, Scalar) { return -x; },
      [](Scalar x, Scalar) { return abs(x); },
      [](Scalar x, Scalar) { return sqrt(x); },
      [](Scalar x, Scalar) { return exp(x); },
      [](Scalar x, Scalar) { return expm1(x); },
      [](Scalar x, Scalar) { return log(x); },
      [](Scalar x, Scalar) { return log1p(x); },
      [](Scalar x, Scalar) { return sin(x); },
      [](Scalar x, Scalar) { return cos(x); },
      [](Scalar x, Scalar) { return tan(x); },
      [](Scalar x, Scalar) { return tanh(x); },
      [](Scalar x, Scalar) { return erf(x); },
      [](Scalar a, Scalar b) { return a + b; },
      [](Scalar a, Scalar b) { return a - b; },
      [](Scalar a, Scalar b) { return a * b; },
      [](Scalar a, Scalar b) { return a / b; },
      [](Scalar a, Scalar b) { return floor_modulo(a, b); },
      [](Scalar a, Scalar b) { return pow(a, b); },
      [](Scalar a, Scalar b) { return min(a, b); },
      [](Scalar a, Scalar b) { return max(a, b); },
      [](Scalar a, Scalar b) { return select(a < b, a * b, exp(b)); },
  };
  for (const ScalarFunction& f : functions)
    for (const Numbers& at : {Numbers{0.3, 0.8}, Numbers{0.9, 0.35}, Numbers{1.3, 0.7}})
      expect_right(f, at);
}

/// Random functions, each made of a few of these.
TEST(Gradient, AgreesWithDifferencesForCompositions) {
  std::mt19937 random(7);
  const auto draw = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const std::vector<Unary> unary = {[](Scalar x) { return tanh(x); },
                                    [](Scalar x) { return sin(x); },
                                    [](Scalar x) { return exp(-(x * x)); },
                                    [](Scalar x) { return log1p(x * x); },
                                    [](Scalar x) { return sqrt(1 + x * x); },
                                    [](Scalar x) { return erf(x); },
                                    [](Scalar x) { return max(x, 0.1234); },
                                    [](Scalar x) { return 1 / (2 + cos(x)); },
                                    [](Scalar x) { return select(x < 0.3217, x, 2 * x); }};
  const std::vector<Binary> binary = {
      [](Scalar a, Scalar b) { return a + b; }, [](Scalar a, Scalar b) { return a - b; },
      [](Scalar a, Scalar b) { return a * b; }, [](Scalar a, Scalar b) { return a / (3 + sin(b)); },
      [](Scalar a, Scalar b) { return pow(1.5 + tanh(a), b); }};
  for (int round = 0; round < 200; ++round) {
    const ScalarFunction f = [&](Scalar a, Scalar b) {
      std::vector<Scalar> made = {a, b};
      for (int i = 0; i < 5; ++i) {
        const Scalar left = made[draw(made.size())], right = made[draw(made.size())];
        made.push_back(draw(2) == 0 ? unary[draw(unary.size())](left)
                                    : binary[draw(binary.size())](left, right));
      }
      return made.back();
    };
    std::uniform_real_distribution<double> number(-1.5, 1.5);
    expect_right(f, {number(random), number(random)});
  }
}

TEST(Gradient, FollowsTensorFlowAtTies) {
  const auto at = [](Binary f, double a, double b) {
    return gradients_at(*record(f), {a, b}, {1});
  };
  EXPECT_EQ(at([](Scalar a, Scalar b) { return max(a, b); }, 2, 2), (Numbers{1, 0}));
  EXPECT_EQ(at([](Scalar a, Scalar b) { return min(a, b); }, 2, 2), (Numbers{1, 0}));
  EXPECT_EQ(at([](Scalar a, Scalar) { return abs(a); }, 0, 0), (Numbers{0, 0}));
  EXPECT_EQ(at([](Scalar a, Scalar b) { return pow(a, b); }, 0, 2), (Numbers{0, 0}));
  EXPECT_EQ(at([](Scalar a, Scalar b) { return pow(a, b); }, 0, 0), (Numbers{0, 0}));
  EXPECT_EQ(at([](Scalar a, Scalar b) { return pow(a, b); }, -3, 2), (Numbers{-6, 0}));
}
