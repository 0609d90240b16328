#include "alula/ops/reduce.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Reduce = Tensor (*)(const Tensor&, const ReduceOptions&);

/// A reduction as plain loops: `start`, then `step` with each element, then `finish` with their
/// number.
struct Plain {
  double start;
  std::function<double(double, double)> step;
  std::function<double(double, double)> finish = [](double value, double) { return value; };

  Array operator()(const Array& x, const ReduceOptions& options) const {
    const auto reduced = options.axis.among("plain", x.shape.rank());
    const Array kept(reduced_shape("plain", x.shape, {options.axis, true}));
    Array result(kept.shape, std::vector<double>(kept.size(), start));
    for_each_index(x.shape, [&](const Shape& index) {
      Shape to = index;
      for (int i = 0; i < to.rank(); ++i)
        if (reduced[i]) to[i] = 0;
      result[to] = step(result[to], x[index]);
    });
    const double count = result.size() == 0 ? 0 : static_cast<double>(x.size() / result.size());
    for (double& value : result.values) value = finish(value, count);
    result.shape = reduced_shape("plain", x.shape, options);
    return result;
  }
};

struct Case {
  Shape shape;
  Axes axis;
  bool keepdims = false;
};

/// Every alternation of reduced and kept dimensions, sizes around the SIMD widths, empty ones, and
/// some large enough for threads, with few and with many results.
const std::vector<Case> kCases = {
    {{}, {}},
    {{}, std::vector<int64_t>{}},
    {{1}, 0},
    {{7}, {}},
    {{7}, std::vector<int64_t>{}},
    {{15}, 0, true},
    {{17}, -1},
    {{33}, {}},
    {{257}, 0},
    {{1, 1}, 1},
    {{3, 5}, 0},
    {{3, 5}, 1},
    {{3, 5}, {0, 1}, true},
    {{33, 17}, 0},
    {{33, 17}, -1, true},
    {{5, 300}, 1},
    {{300, 5}, 0},
    {{2500, 3}, 0},
    {{2, 3, 4}, 1},
    {{2, 3, 4}, {0, 2}},
    {{2, 3, 4}, {-1, 0}, true},
    {{2, 3, 4}, {0, 1}},
    {{4, 1, 9, 1}, {1, 2}},
    {{4, 1, 9, 1}, {0, 3}},
    {{3, 2, 5, 4, 7}, {0, 2, 4}},
    {{3, 2, 5, 4, 7}, {1, 3}},
    {{2, 2, 2, 2, 2, 2, 2, 2}, {0, 2, 4, 6}, true},
    {{9, 31, 33}, 1},
    {{0}, {}},
    {{0}, 0, true},
    {{0, 3}, 0},
    {{0, 3}, 1},
    {{3, 0, 2}, 1},
};
const std::vector<Case> kLargeCases = {
    {{300'001}, {}},          {{700, 500}, 0},      {{700, 500}, 1},
    {{150'000, 2}, 0},        {{2, 150'000}, 1},    {{5, 70'001}, 0},
    {{100, 30, 101}, {0, 2}}, {{64, 3, 1700}, {1}}, {{20, 3, 70, 80}, {0, 2}},
};

void check_cases(Reduce f, const Plain& plain, const std::vector<Case>& cases, DType dtype,
                 Range range, double size = 1) {
  for (const Case& c : cases) {
    SCOPED_TRACE(
        fmt::format("axes {}{}", fmt::join(c.axis.given(), ","), c.axis.all() ? "all" : ""));
    const ReduceOptions options{.axis = c.axis, .keepdims = c.keepdims};
    const Tensor x = random_tensor({dtype, c.shape}, range);
    const bool ordered = f == reduce_max || f == reduce_min;
    OpTest::check([&](const auto& in) { return f(in[0], options); }, {x},
                  [&](const auto& in) { return plain(in[0], options); },
                  {.scale = size, .gradient = !ordered || is_spread(x)});
  }
}

/// What `value` is when stored as an integer of a dtype, modulo its range.
double wrapped(double value, DType dtype) {
  return with_type(dtype, [&]<class T>(Type<T>) -> double {
    if constexpr (std::is_integral_v<T>)
      return static_cast<double>(static_cast<T>(static_cast<int64_t>(value)));
    else
      return value;
  });
}

Plain plain_sum(DType dtype) {
  return {0, std::plus<>(), [=](double value, double) { return wrapped(value, dtype); }};
}
const Plain kMean{0, std::plus<>(), [](double sum, double count) { return sum / count; }};
const Plain kIntegerMean{0, std::plus<>(), [](double sum, double count) {
                           return count == 0 ? 0 : std::trunc(sum / count);
                         }};
double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }

double lowest(DType dtype) {
  return is_floating(dtype) ? -kInfinity : with_type(dtype, []<class T>(Type<T>) {
    return static_cast<double>(std::numeric_limits<T>::lowest());
  });
}
double highest(DType dtype) {
  return is_floating(dtype) ? kInfinity : with_type(dtype, []<class T>(Type<T>) {
    return static_cast<double>(std::numeric_limits<T>::max());
  });
}

const std::vector<DType> kNumbers = {float16, bfloat16, float32, float64, int8,   int16,
                                     int32,   int64,    uint8,   uint16,  uint32, uint64};

void expect_common_errors(Reduce f, const Tensor& x, const char* name) {
  EXPECT_ERROR(f(x, {.axis = 2}), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_ERROR(f(x, {.axis = -3}), InvalidArgumentError, name);
  EXPECT_ERROR(f(x, {.axis = {0, -2}}), InvalidArgumentError, "axis 0 is given twice");
  EXPECT_ERROR(f(Tensor("text"), {}), InvalidArgumentError, "Got string[]");
}

}  // namespace

OP_TEST(reduce_sum) {
  for (DType dtype : kNumbers)
    check_cases(reduce_sum, plain_sum(dtype), kCases, dtype, {-9, 9}, 300);
  for (DType dtype : {float32, float64, bfloat16, int32})
    check_cases(reduce_sum, plain_sum(dtype), kLargeCases, dtype, {-2, 2}, 1000);
  check_cases(reduce_sum, plain_sum(uint8), kLargeCases, uint8, {0, 255});
  expect_common_errors(reduce_sum, {{1, 2}, {3, 4}}, "reduce_sum");
  EXPECT_ERROR(reduce_sum({true}), InvalidArgumentError, "Use cast()");
}

OP_TEST(reduce_mean) {
  for (DType dtype : kNumbers)
    check_cases(reduce_mean, is_floating(dtype) ? kMean : kIntegerMean, kCases, dtype, {-100, 100},
                100);
  check_cases(reduce_mean, kMean, kLargeCases, float32, {0, 1});
  check_cases(reduce_mean, kMean, kLargeCases, float16, {0, 1});
  check_cases(reduce_mean, kIntegerMean, kLargeCases, int8, {-128, 127});
  check_cases(reduce_mean, kIntegerMean, kLargeCases, uint8, {100, 255});
  expect_common_errors(reduce_mean, {{1, 2}, {3, 4}}, "reduce_mean");
}

OP_TEST(reduce_prod) {
  const Plain product{1, std::multiplies<>()};
  for (DType dtype : {float32, float64, float16, bfloat16})
    check_cases(reduce_prod, product, kCases, dtype, {-1.4, 1.4}, 100);
  check_cases(reduce_prod, product, kLargeCases, float64, {0.99, 1.01}, 1e3);
  // Signs only, so that the reference stays exact.
  for (DType dtype : kNumbers)
    if (kSignedIntegers.contains(dtype)) check_cases(reduce_prod, product, kCases, dtype, {-1, 1});
  for (DType dtype : {uint8, uint16, uint32, uint64})
    check_cases(reduce_prod, product, {{{2, 3}, 1}, {{3, 33}, 0}, {{0}, 0}}, dtype, {0, 3});
  EXPECT_EQ(reduce_prod(constant({255, 255, 255}, uint16)).item<uint16_t>(),
            255 * 255 * 255 % 65536);
  EXPECT_EQ(reduce_prod(constant({65535, 65535}, uint16)).item<uint16_t>(), 1);
  expect_common_errors(reduce_prod, {{1, 2}, {3, 4}}, "reduce_prod");
}

OP_TEST(reduce_max) {
  for (DType dtype : kNumbers)
    check_cases(reduce_max, {lowest(dtype), larger}, kCases, dtype, {-1e4, -10});
  for (DType dtype : kNumbers)
    check_cases(reduce_max, {lowest(dtype), larger}, kCases, dtype, {-60, 99});
  check_cases(reduce_max, {lowest(float32), larger}, kLargeCases, float32, {-100, 100});
  check_cases(reduce_max, {lowest(int16), larger}, kLargeCases, int16, {-3e4, 3e4});
  expect_common_errors(reduce_max, {{1, 2}, {3, 4}}, "reduce_max");
}

OP_TEST(reduce_min) {
  for (DType dtype : kNumbers)
    check_cases(reduce_min, {highest(dtype), smaller}, kCases, dtype, {10, 1e4});
  for (DType dtype : kNumbers)
    check_cases(reduce_min, {highest(dtype), smaller}, kCases, dtype, {-60, 99});
  check_cases(reduce_min, {highest(float32), smaller}, kLargeCases, float32, {-100, 100});
  check_cases(reduce_min, {highest(uint8), smaller}, kLargeCases, uint8, {5, 200});
  expect_common_errors(reduce_min, {{1, 2}, {3, 4}}, "reduce_min");
}

OP_TEST(reduce_any) {
  const Plain any{0, [](double a, double b) { return a != 0 || b != 0 ? 1. : 0.; }};
  check_cases(reduce_any, any, kCases, boolean, {});
  check_cases(reduce_any, any, kCases, boolean, {0, 0});
  check_cases(reduce_any, any, kLargeCases, boolean, {});
  expect_common_errors(reduce_any, {{true, false}, {true, true}}, "reduce_any");
  EXPECT_ERROR(reduce_any({1}), InvalidArgumentError, "reduce_any: takes bool. Got int32[1]");
}

OP_TEST(reduce_all) {
  const Plain all{1, [](double a, double b) { return a != 0 && b != 0 ? 1. : 0.; }};
  check_cases(reduce_all, all, kCases, boolean, {});
  check_cases(reduce_all, all, kCases, boolean, {1, 1});
  check_cases(reduce_all, all, kLargeCases, boolean, {1, 1});
  expect_common_errors(reduce_all, {{true, false}, {true, true}}, "reduce_all");
}

TEST(Reduce, SharesTheGradientAmongEqualExtremes) {
  const auto rows = [](Reduce f) {
    return [f](const std::vector<Tensor>& in) { return f(in[0], {.axis = 1}); };
  };
  const Tensor x = {{1., 3., 3., 2.}, {4., 4., 4., 4.}}, dy = {6., 8.};
  expect_equal(gradient_of(rows(reduce_max), {x}, 0, dy), {{2, 4}, {0, 3, 3, 0, 2, 2, 2, 2}},
               float32);
  expect_equal(gradient_of(rows(reduce_min), {x}, 0, dy), {{2, 4}, {6, 0, 0, 0, 2, 2, 2, 2}},
               float32);
}

TEST(Reduce, DifferentiatesProductsWithZeros) {
  const auto rows = [](const std::vector<Tensor>& in) { return reduce_prod(in[0], {.axis = 1}); };
  expect_equal(gradient_of(rows, {{{2., 0., 3.}, {0., 5., 0.}}}), {{2, 3}, {0, 6, 0, 0, 0, 0}},
               float32);
}

TEST(Reduce, HasSecondGradients) {
  for (Reduce f : {reduce_sum, reduce_mean, reduce_prod, reduce_max, reduce_min})
    for (const Case& c : std::vector<Case>{{{7}, {}}, {{3, 5}, 0}, {{3, 4, 2}, {0, 2}, true}})
      compare_second_gradient(
          [&](const std::vector<Tensor>& in) {
            return f(in[0], {.axis = c.axis, .keepdims = c.keepdims});
          },
          {random_tensor({float64, c.shape})});
}

/// The gradient of a sum reads nothing of what was summed.
TEST(Reduce, KeepsOnlyWhatItsGradientReads) {
  const IndexSet x{0}, none;
  EXPECT_EQ(ReduceSum().needs(x).inputs, none);
  EXPECT_EQ(ReduceSum().needs(x).outputs, none);
  EXPECT_EQ(ReduceMean().needs(x).inputs, none);
  EXPECT_EQ(ReduceMean().needs(x).outputs, none);
  EXPECT_EQ(ReduceProd().needs(x).outputs, none);
  EXPECT_FALSE(ReduceAny::static_type().differentiable);
  EXPECT_FALSE(ReduceAll::static_type().differentiable);
}

/// A NaN wins wherever it stands, and infinities count.
TEST(Reduce, PropagatesNaN) {
  for (int64_t n : {3, 16, 17, 100, 1000, 5000})
    for (int64_t at : {int64_t{0}, n / 2, n - 1}) {
      std::vector<float> values(n);
      std::iota(values.begin(), values.end(), -3.f);
      values[at] = static_cast<float>(kNaN);
      const Tensor row(values), column(values, {n, 1, 1}), both(values, {1, n});
      for (Reduce f : {reduce_max, reduce_min, reduce_sum, reduce_mean, reduce_prod}) {
        EXPECT_TRUE(std::isnan(f(row, {}).item<float>())) << n << " " << at;
        EXPECT_TRUE(std::isnan(f(column, {.axis = 0}).item<float>())) << n << " " << at;
        EXPECT_EQ(std::isnan(f(both, {.axis = 0}).to_vector<float>()[at]), true) << n << " " << at;
      }
    }
  const float inf = static_cast<float>(kInfinity);
  EXPECT_EQ(reduce_max({-inf, -inf}).item<float>(), -inf);
  EXPECT_EQ(reduce_min({inf, -inf, 0.f}).item<float>(), -inf);
  EXPECT_TRUE(std::isnan(reduce_sum({inf, -inf}).item<float>()));
}

/// Adding up one by one in float would be wrong from the third digit on.
TEST(Reduce, SumsManyFloatsAccurately) {
  const int64_t n = 10'000'000;
  const Tensor row(std::vector<float>(n, 0.1f)), columns(std::vector<float>(n, 0.1f), {n / 4, 4});
  EXPECT_NEAR(reduce_sum(row).item<float>() / (0.1f * 1e7), 1, 1e-6);
  for (float sum : reduce_sum(columns, {.axis = 0}).to_vector<float>())
    EXPECT_NEAR(sum / (0.1f * 2.5e6), 1, 1e-6);
  EXPECT_NEAR(reduce_mean(row).item<float>(), 0.1f, 1e-7);
}

TEST(Reduce, SumsSixteenBitsInFloat) {
  const Tensor ones(std::vector<Half>(5000, Half(1.f)));
  EXPECT_EQ(static_cast<float>(reduce_sum(ones).item<Half>()), 5000);
  const Tensor some(std::vector<BFloat16>(4096, BFloat16(1.f)), {2048, 2});
  EXPECT_EQ(static_cast<float>(reduce_sum(some, {.axis = 0}).to_vector<BFloat16>()[1]), 2048);
}

TEST(Reduce, InfersUnknownDimensions) {
  const Spec x{float32, {kUnknown, 3, kUnknown}};
  const Spec* refs[] = {&x};
  EXPECT_EQ(ReduceSum({.axis = 1}).infer(SpecRefs(refs))[0].shape, (Shape{kUnknown, kUnknown}));
  EXPECT_EQ(ReduceSum({.axis = {0, 2}, .keepdims = true}).infer(SpecRefs(refs))[0].shape,
            (Shape{1, 3, 1}));
  EXPECT_EQ(ReduceSum().infer(SpecRefs(refs))[0].shape, Shape{});
}

TEST(Axes, AreAllUnlessGiven) {
  EXPECT_TRUE(Axes().all());
  EXPECT_FALSE(Axes(std::vector<int64_t>{}).all());
  EXPECT_EQ(Axes({-1, 0}).among("test", 3).to_string(), "00000101");
  EXPECT_ERROR(Axes(std::vector<int64_t>(9)), InvalidArgumentError, "Got 9 axes");
}
