#include "alula/graph/passes/simplify.h"

#include <limits>

#include "alula/graph/passes/pass_test.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::graph::testing;

namespace {

using Unary = std::function<Tensor(const Tensor&)>;

constexpr float kInf = std::numeric_limits<float>::infinity(),
                kNaN = std::numeric_limits<float>::quiet_NaN();

const Tensor kFloats = {{1.5F, -2.F, kInf}, {-kInf, kNaN, 0.25F}};
const Tensor kInts = {{1, -2, 3}, {-4, 5, std::numeric_limits<int32_t>::min()}};

/// What is left of a function of one tensor.
std::string left_of(const Unary& f, const Tensor& x) {
  return after(simplify, [&](const auto& in) { return std::vector{f(in[0])}; }, {x});
}

constexpr const char* kNothing = "return %0\n";

void expect_nothing_left(const Unary& f, const Tensor& x = kFloats) {
  EXPECT_EQ(left_of(f, x), kNothing);
}

}  // namespace

TEST(Simplify, DropsNeutralElements) {
  for (const DType dtype : {float16, bfloat16, float32, float64}) {
    const Tensor x = cast(kFloats, dtype);
    expect_nothing_left([](const Tensor& x) { return x + 0; }, x);
    expect_nothing_left([](const Tensor& x) { return 0 + x; }, x);
    expect_nothing_left([](const Tensor& x) { return x - 0; }, x);
    expect_nothing_left([](const Tensor& x) { return x * 1; }, x);
    expect_nothing_left([](const Tensor& x) { return x / 1; }, x);
    expect_nothing_left([](const Tensor& x) { return alula::pow(x, ones_like(x)); }, x);
    expect_nothing_left([](const Tensor& x) { return x + zeros_like(x); }, x);
    expect_nothing_left([](const Tensor& x) { return x * ones(x.shape(), x.dtype()); }, x);
  }
  expect_nothing_left([](const Tensor& x) { return x + 0; }, kInts);
  expect_nothing_left([](const Tensor& x) { return x * 1; }, kInts);
  expect_nothing_left([](const Tensor& x) { return maximum(x, -kInf); });
  const Tensor bools = {true, false};
  expect_nothing_left([](const Tensor& x) { return logical_and(x, true); }, bools);
  expect_nothing_left([](const Tensor& x) { return logical_or(x, false); }, bools);
}

TEST(Simplify, ZeroTimesWhatMayBeNaNIsNotZero) {
  EXPECT_EQ(left_of([](const Tensor& x) { return x * 0; }, kFloats),
            "%1 = constant 0.0 : float32[]\n%2 = mul %0 %1 : float32[2,3]\nreturn %2\n");
  EXPECT_EQ(left_of([](const Tensor& x) { return x * 0; }, kInts),
            "%1 = fill(shape=[2,3], value=0, dtype=int32) : int32[2,3]\nreturn %1\n");
}

TEST(Simplify, ChoosesWhenTheConditionIsKnown) {
  const Tensor other = zeros({2, 3});
  expect_nothing_left(
      [&](const Tensor& x) { return where(Tensor(true), x, other + alula::exp(x)); });
  expect_nothing_left([&](const Tensor& x) { return where(fill({2, 3}, false), other, x); });
}

TEST(Simplify, WhatIsBroadcastStaysSo) {
  EXPECT_EQ(left_of([](const Tensor& x) { return x + zeros({2, 3}); }, Tensor{1.F, 2.F, 3.F}),
            "%1 = broadcast_to(shape=[2,3]) %0 : float32[2,3]\nreturn %1\n");
}

TEST(Simplify, UndoesWhatUndoesItself) {
  for (const Tensor& x : {kFloats, kInts}) {
    expect_nothing_left([](const Tensor& x) { return -(-x); }, x);
    expect_nothing_left([](const Tensor& x) { return transpose(transpose(x)); }, x);
  }
  expect_nothing_left([](const Tensor& x) { return logical_not(logical_not(x)); },
                      Tensor{true, false});
  for (const Tensor& x : {kFloats, kInts}) {
    const std::string once = left_of([](const Tensor& x) { return alula::abs(x); }, x);
    EXPECT_EQ(left_of([](const Tensor& x) { return alula::abs(-x); }, x), once);
    EXPECT_EQ(left_of([](const Tensor& x) { return alula::abs(alula::abs(x)); }, x), once);
    EXPECT_EQ(left_of([](const Tensor& x) { return square(-x); }, x),
              left_of([](const Tensor& x) { return square(x); }, x));
    EXPECT_EQ(left_of([](const Tensor& x) { return relu(relu(x)); }, x),
              left_of([](const Tensor& x) { return relu(x); }, x));
  }
}

TEST(Simplify, SubtractsRatherThanAddingTheNegative) {
  const auto text = [](const auto& f) {
    return after(simplify, [&](const auto& in) { return std::vector{f(in[0], in[1])}; },
                 {kFloats, kFloats * 3});
  };
  const std::string a_minus_b = text([](const Tensor& a, const Tensor& b) { return a - b; });
  EXPECT_EQ(text([](const Tensor& a, const Tensor& b) { return a + (-b); }), a_minus_b);
  EXPECT_EQ(text([](const Tensor& a, const Tensor& b) { return (-b) + a; }), a_minus_b);
  EXPECT_EQ(text([](const Tensor& a, const Tensor& b) { return a - (-b); }),
            text([](const Tensor& a, const Tensor& b) { return a + b; }));
}

TEST(Simplify, ScalesByPowersOfTwoAtOnce) {
  const std::string eight = left_of([](const Tensor& x) { return x * 8; }, kFloats);
  EXPECT_EQ(left_of([](const Tensor& x) { return x * 2 * 4; }, kFloats), eight);
  EXPECT_EQ(left_of([](const Tensor& x) { return x / 0.25 * 2; }, kFloats), eight);
  EXPECT_EQ(left_of([](const Tensor& x) { return x * -0.5 / 4; }, kFloats),
            "%1 = constant -0.125 : float32[]\n%2 = mul %0 %1 : float32[2,3]\nreturn %2\n");
  // These are not exact: one rounds, the other may overflow in between.
  EXPECT_EQ(
      graph_after(simplify, [](const auto& in) { return std::vector{in[0] * 3 * 5}; }, {kFloats})
          .nodes.size(),
      5);
  const Tensor large = {3e38F, 1.F};
  EXPECT_EQ(
      graph_after(simplify, [](const auto& in) { return std::vector{in[0] * 4 * 0.25}; }, {large})
          .nodes.size(),
      5);
}

TEST(Simplify, CastsOnceIfNothingIsLost) {
  expect_nothing_left([](const Tensor& x) { return cast(cast(x, float64), float32); });
  expect_nothing_left([](const Tensor& x) { return cast(cast(x, float64), int32); }, kInts);
  EXPECT_EQ(left_of([](const Tensor& x) { return cast(cast(x, float64), int32); }, kFloats),
            left_of([](const Tensor& x) { return cast(x, int32); }, kFloats));
  EXPECT_EQ(left_of([](const Tensor& x) { return cast(cast(x, int64), uint8); }, kInts),
            left_of([](const Tensor& x) { return cast(x, uint8); }, kInts));
  const auto casts = [](DType first, DType second, const Tensor& x) {
    after(simplify, [&](const auto& in) { return std::vector{cast(cast(in[0], first), second)}; },
          {x});
    return graph_after(
               simplify,
               [&](const auto& in) { return std::vector{cast(cast(in[0], first), second)}; }, {x})
               .nodes.size() -
           1;
  };
  EXPECT_EQ(casts(float16, float32, kFloats), 2);
  EXPECT_EQ(casts(int32, float32, kFloats), 2);
  EXPECT_EQ(casts(float64, uint8, kInts), 2);  // saturates, where a single cast keeps low bits
  EXPECT_EQ(casts(boolean, float32, kFloats), 2);
}

TEST(Simplify, EveryPairOfCastsGivesTheSame) {
  const Tensor numbers = {0.F, 1.F, -1.F, 1.5F, 100.F, 300.F, -300.F, 70000.F, 3e9F, -3e9F};
  constexpr DType kSome[] = {float16, bfloat16, float32, float64, int8,   int16,  int32,
                             int64,   uint8,    uint16,  uint32,  uint64, boolean};
  for (const DType from : kSome)
    for (const DType between : kSome)
      for (const DType to : kSome) {
        SCOPED_TRACE(fmt::format("{} {} {}", from, between, to));
        after(
            simplify, [&](const auto& in) { return std::vector{cast(cast(in[0], between), to)}; },
            {cast(numbers, from)}, 1e-3);  // 16-bit floats may be rounded once or twice
      }
}

TEST(Simplify, LosslessCasts) {
  EXPECT_TRUE(is_lossless(int32, float64));
  EXPECT_FALSE(is_lossless(int32, float32));
  EXPECT_FALSE(is_lossless(int8, uint16));
  EXPECT_TRUE(is_lossless(uint8, int16));
  EXPECT_FALSE(is_lossless(uint8, int8));
  EXPECT_FALSE(is_lossless(float16, bfloat16));
  EXPECT_TRUE(is_lossless(bfloat16, float32));
  EXPECT_FALSE(is_lossless(int64, float64));
  EXPECT_TRUE(is_lossless(boolean, int8));
}

TEST(Simplify, LeavesVariablesThatStayWhatTheyAre) {
  const Variable v(Tensor{1.F, 2.F}, {.name = "v"});
  const Graph graph = graph_after(simplify,
                                  [&](const auto& in) {
                                    Variable w = v;
                                    w.assign(w * 1);
                                    return in;
                                  },
                                  {Tensor(1.F)});
  EXPECT_TRUE(graph.updates.empty());
}
