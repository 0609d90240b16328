#include "alula/ops/sort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// The indices in order, along an axis; NaN last.
Array plain_argsort(const Array& x, const SortOptions& options) {
  const int axis = normalize_axis("plain", options.axis, x.shape.rank());
  const bool descending = options.direction == SortDirection::kDescending;
  Array result(x.shape);
  for_each_index(x.shape.without(axis), [&](const Shape& index) {
    const auto value = [&](int64_t i) { return x[index.with_inserted(axis, i)]; };
    std::vector<int64_t> order(x.shape[axis]);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      const double a = value(i), b = value(j);
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
      return descending ? a > b : a < b;
    });
    for (size_t i = 0; i < order.size(); ++i)
      result[index.with_inserted(axis, static_cast<int64_t>(i))] = static_cast<double>(order[i]);
  });
  return result;
}

Array plain_sort(const Array& x, const SortOptions& options) {
  const int axis = normalize_axis("plain", options.axis, x.shape.rank());
  const Array order = plain_argsort(x, options);
  Array result(x.shape);
  for_each_index(x.shape, [&](const Shape& index) {
    result[index] = x[index.with(axis, static_cast<int64_t>(order[index]))];
  });
  return result;
}

void check_sort(const Tensor& x, int64_t axis) {
  for (SortDirection direction : {SortDirection::kAscending, SortDirection::kDescending}) {
    const SortOptions options{.axis = axis, .direction = direction};
    OpTest::check([&](const auto& in) { return sort(in[0], options); }, {x},
                  [&](const auto& in) { return plain_sort(in[0], options); },
                  {.gradient = is_spread(x)});
  }
}

void check_argsort(const Tensor& x, int64_t axis) {
  for (SortDirection direction : {SortDirection::kAscending, SortDirection::kDescending}) {
    const SortOptions options{.axis = axis, .direction = direction};
    OpTest::check([&](const auto& in) { return argsort(in[0], options); }, {x},
                  [&](const auto& in) { return plain_argsort(in[0], options); }, int32);
  }
}

void check_all(void (*check)(const Tensor&, int64_t)) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kNumeric.contains(dtype)) continue;
    for (int64_t n : {0, 1, 2, 7, 17, 33, 63, 64, 65, 300}) {
      check(random_tensor({dtype, {n}}, {-1e5, 1e5}), 0);
      check(random_tensor({dtype, {n}}, {-5, 5}), 0);
      check(random_tensor({dtype, {3, n}}, {-100, 100}), -1);
      check(random_tensor({dtype, {n, 3}}, {-100, 100}), 0);
    }
    check(random_tensor({dtype, {2, 33, 5}}, {-9, 9}), 1);
    check(random_tensor({dtype, {10'000}}, {-1e9, 1e9}), 0);
  }
  for (DType dtype : {float32, int8, uint64}) {
    check(random_tensor({dtype, {110'000}}, {-1e9, 1e9}), 0);
    check(random_tensor({dtype, {300, 350}}, {-99, 99}), 0);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    const auto with_specials = [&](int64_t n) {
      Array array = to_array(random_tensor({dtype, {n}}, {-3, 3}));
      for (double special : {-nan, inf, -inf, nan, -0.f, 0.f, -0.f})
        array.values[random_int(0, n - 1)] = special;
      return to_tensor(array, dtype);
    };
    check(with_specials(10), 0);
    check(with_specials(500), 0);
  }
}

}  // namespace

OP_TEST(sort) {
  check_all(check_sort);
  EXPECT_ERROR(sort(Tensor(1)), InvalidArgumentError, "axis -1 is out of range");
  EXPECT_ERROR(sort({1}, {.axis = 1}), InvalidArgumentError, "sort: axis 1");
  EXPECT_ERROR(sort({true}), InvalidArgumentError, "Got bool[1]");
}

/// Equal elements stay in order, and so do their gradients.
TEST(Sort, GivesEachElementTheGradientOfItsPlace) {
  const auto f = [](const std::vector<Tensor>& in) { return sort(in[0]); };
  expect_equal(gradient_of(f, {{{3., 1., 3., 2.}}}, 0, {{10., 20., 30., 40.}}),
               {{1, 4}, {30, 10, 40, 20}}, float32);
}

TEST(Sort, HasSecondGradients) {
  for (int64_t axis : {0, 1})
    compare_second_gradient(
        [&](const std::vector<Tensor>& in) { return sort(in[0], {.axis = axis}); },
        {random_tensor({float64, {3, 5}})});
}

OP_TEST(argsort) {
  check_all(check_argsort);
  EXPECT_ERROR(argsort(Tensor(1)), InvalidArgumentError, "axis -1 is out of range");
  EXPECT_ERROR(argsort({"a"}), InvalidArgumentError, "Got string[1]");
}
