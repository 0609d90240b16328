#include "alula/ops/elementwise_reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alula/ops/mul.h"
#include "alula/scalar/compose.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
using Kind = ElementwiseReduce::Kind;

namespace {

/// x * y + 1; 16-bit floats are rounded at the end.
const scalar::Program& program(DType dtype) {
  scalar::Builder b;
  const DType wide = is_half(dtype) ? float32 : dtype;
  const Scalar x = cast(b.input(dtype), wide), y = cast(b.input(dtype), wide);
  const Scalar result = cast(x * y + 1, dtype);
  return scalar::interned(b.finish("elementwise_reduce", {&result, 1}));
}

double start_of(Kind kind, DType dtype) {
  const auto limit = [&](bool least) {
    return with_type(dtype, [&]<class T>(Type<T>) {
      using Limits = std::numeric_limits<T>;
      if (Limits::has_infinity) return least ? -INFINITY : static_cast<double>(INFINITY);
      return static_cast<double>(least ? Limits::lowest() : Limits::max());
    });
  };
  switch (kind) {
    case Kind::kProd: return 1;
    case Kind::kMax: return limit(true);
    case Kind::kMin: return limit(false);
    default: return 0;
  }
}

double step(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::kProd: return a * b;
    case Kind::kMax: return std::max(a, b);
    case Kind::kMin: return std::min(a, b);
    default: return a + b;
  }
}

struct Case {
  Shape x, y;
  Axes axis;
  bool keepdims = false;
};

void check_case(Kind kind, DType dtype, const Case& c) {
  SCOPED_TRACE(fmt::format("{} of {} and {}", name_of(kind), c.x, c.y));
  const ReduceOptions options{.axis = c.axis, .keepdims = c.keepdims};
  const ElementwiseReduce op(program(dtype), kind, options);
  const Shape all = broadcast("test", c.x, c.y);
  const Shape results = reduced_shape("test", all, options);
  const int64_t each = results.size() == 0 ? 0 : all.size() / results.size();
  // Products stay near 1, and integers within their range.
  const Range range = kind == Kind::kProd  ? Range{-0.001, 0.001}
                      : is_floating(dtype) ? Range{-1, 1}
                                           : Range{0, 1};
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return call_all(op, in)[0]; },
      {random_tensor({dtype, c.x}, range), random_tensor({dtype, c.y}, range)},
      [&](const std::vector<Array>& in) {
        const Array x = broadcast_to(in[0], all), y = broadcast_to(in[1], all);
        const auto reduced = options.axis.among("test", all.rank());
        Array result(reduced_shape("test", all, {options.axis, true}));
        std::fill(result.values.begin(), result.values.end(), start_of(kind, dtype));
        for_each_index(all, [&](const Shape& index) {
          Shape to = index;
          for (int i = 0; i < to.rank(); ++i)
            if (reduced[i]) to[i] = 0;
          result[to] = step(kind, result[to], x[index] * y[index] + 1);
        });
        if (kind == Kind::kMean)
          for (double& value : result.values) {
            value = each == 0 && !is_floating(dtype) ? 0 : value / static_cast<double>(each);
            if (!is_floating(dtype)) value = std::trunc(value);
          }
        result.shape = results;
        return result;
      },
      {.scale = kind == Kind::kProd ? static_cast<double>(each) + 1 : 4, .gradient = false});
}

const std::vector<Case> kCases = {
    {{}, {}, {}},
    {{5}, {5}, 0},
    {{3, 5}, {5}, 0},
    {{3, 5}, {3, 1}, 1, true},
    {{33, 17}, {33, 17}, 0},
    {{3, 40}, {1}, {0, 1}},
    {{2, 3, 4}, {3, 1}, {0, 2}},
    {{4, 1, 9}, {2, 1}, {1}, true},
    {{7, 130}, {130}, 1},
    {{7, 130}, {7, 1}, 0},
    {{2, 3}, {2, 3}, std::vector<int64_t>{}},
    {{0, 3}, {3}, 0},
    {{3, 0}, {1}, 0},
};
const std::vector<Case> kLarge = {
    {{300'001}, {1}, {}},
    {{700, 500}, {500}, 0},
    {{700, 500}, {700, 1}, 1},
    {{40'000, 3}, {3}, 0},
    {{3, 70'001}, {70'001}, 1},
    {{40, 3000}, {40, 3000}, 0},
    {{100, 30, 101}, {30, 1}, {0, 2}},
    {{64, 3, 1700}, {3, 1}, {1}},
};

}  // namespace

OP_TEST(elementwise_reduce) {
  for (Kind kind : {Kind::kSum, Kind::kMean, Kind::kProd, Kind::kMax, Kind::kMin}) {
    for (DType dtype : {float16, bfloat16, float32, float64, int8, int16, int32, int64, uint8,
                        uint16, uint32, uint64})
      for (const Case& c : kCases)
        if (!is_integer(dtype) || (kind != Kind::kSum && kind != Kind::kProd) || dtype == int32)
          check_case(kind, dtype, c);
    for (const Case& c : kLarge) check_case(kind, float32, c);
  }
}

TEST(ElementwiseReduce, IsAsExactAsAReduction) {
  // In float32 itself, a sum of a million numbers would have lost three digits.
  const Tensor x = random_tensor({float32, {1 << 20}}, {0, 1}), y = random_tensor({float32, {1}});
  const Tensor fused =
      call_all(ElementwiseReduce(mul.program(float32), Kind::kSum), std::vector{x, y})[0];
  EXPECT_EQ(fused.item<float>(), reduce_sum(mul(x, y)).item<float>());
}

TEST(ElementwiseReduce, TakesParametersAndReportsFaults) {
  scalar::Builder b;
  const Scalar x = b.input(float32);
  const Scalar result = x * b.parameter(float32);
  const auto scaled = b.finish("scaled", {&result, 1});
  ElementwiseReduce op(*scaled, Kind::kMax);
  op.parameters[0] = 10;
  EXPECT_EQ(call_all(op, std::vector{Tensor({1.f, 3.f, 2.f})})[0].item<float>(), 30);

  scalar::Builder faulty;
  const Scalar one = faulty.input(int32), other = faulty.input(int32);
  const Scalar quotient = floor_divide(one, other);
  const auto division = faulty.finish("division", {&quotient, 1});
  EXPECT_ERROR(call_all(ElementwiseReduce(*division, Kind::kSum),
                        std::vector{Tensor({4, 6}), Tensor({2, 0})}),
               InvalidArgumentError, "division by zero");
}

TEST(ElementwiseReduce, SaysWhatItTakes) {
  scalar::Builder b;
  const Scalar x = b.input(float32);
  const Scalar results[] = {x, x + 1};
  const auto two = b.finish("two", results);
  EXPECT_ERROR(call_all(ElementwiseReduce(*two, Kind::kSum), std::vector{Tensor({1.f})}),
               InvalidArgumentError, "must have one result");
  scalar::Builder c;
  const Scalar y = c.input(float32);
  const Scalar less = y < 0;
  const auto compares = c.finish("compares", {&less, 1});
  EXPECT_ERROR(call_all(ElementwiseReduce(*compares, Kind::kSum), std::vector{Tensor({1.f})}),
               InvalidArgumentError, "reduces");
  EXPECT_ERROR(call_all(ElementwiseReduce(mul.program(float32), Kind::kSum, {.axis = 2}),
                        std::vector{Tensor({1.f}), Tensor({1.f})}),
               InvalidArgumentError, "axis");
}
