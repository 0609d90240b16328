#include "alula/ops/arg_reduce.h"

#include <cmath>
#include <limits>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using ArgReduce = Tensor (*)(const Tensor&, const ArgReduceOptions&);

/// The first index that is better than all before it; NaN never is.
Array plain(const Array& x, int64_t axis, bool largest) {
  const int at = normalize_axis("plain", axis, x.shape.rank());
  Array result(x.shape.without(at));
  for_each_index(result.shape, [&](const Shape& index) {
    double best = largest ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < x.shape[at]; ++i) {
      const double value = x[index.with_inserted(at, i)];
      if (!(largest ? value > best : value < best)) continue;
      best = value;
      result[index] = static_cast<double>(i);
    }
  });
  return result;
}

void check_arg_reduce(ArgReduce f, bool largest, const Tensor& x, int64_t axis,
                      DType output_type = int64) {
  SCOPED_TRACE(fmt::format("axis {}", axis));
  OpTest::check(
      [&](const auto& in) { return f(in[0], {.axis = axis, .output_type = output_type}); }, {x},
      [&](const auto& in) { return plain(in[0], axis, largest); }, output_type);
}

void check_all(ArgReduce f, bool largest) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == string) continue;
    for (int64_t n : {1, 7, 15, 17, 33, 70, 300}) {
      check_arg_reduce(f, largest, random_tensor({dtype, {n}}, {-50, 50}), 0);
      check_arg_reduce(f, largest, random_tensor({dtype, {3, n}}, {-3, 3}), -1, int32);
      check_arg_reduce(f, largest, random_tensor({dtype, {n, 5}}, {-3, 3}), 0, int32);
      check_arg_reduce(f, largest, random_tensor({dtype, {2, 9, n}}, {-50, 50}), 1);
    }
    check_arg_reduce(f, largest, random_tensor({dtype, {0, 3}}), 1);
  }
  for (DType dtype : {float32, float16, int32, uint8}) {
    check_arg_reduce(f, largest, random_tensor({dtype, {200'001}}, {-1e5, 1e5}), 0);
    check_arg_reduce(f, largest, random_tensor({dtype, {401, 300}}, {-100, 100}), 0);
    check_arg_reduce(f, largest, random_tensor({dtype, {401, 300}}, {-100, 100}), 1);
    check_arg_reduce(f, largest, random_tensor({dtype, {3, 50, 1100}}, {-100, 100}), 1);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const Tensor& x : {Tensor({nan, 2.f, nan, 5.f, 5.f}), Tensor({1.f, nan, -1.f}),
                          Tensor({nan, nan}), Tensor({-inf, inf, inf, -inf})}) {
    check_arg_reduce(f, largest, x, 0);
    check_arg_reduce(f, largest, x.reshaped({x.size(), 1, 1}), 0);
  }
  std::vector<float> far(5000, nan);
  far[4100] = far[4200] = 1;
  check_arg_reduce(f, largest, Tensor(far), 0);

  EXPECT_ERROR(f(Tensor(1.f), {}), InvalidArgumentError, "axis 0 is out of range");
  EXPECT_ERROR(f({1.f}, {.axis = 1}), InvalidArgumentError, "axis 1 is out of range");
  EXPECT_ERROR(f({1.f}, {.output_type = int8}), InvalidArgumentError, "must be int64 or int32");
  EXPECT_ERROR(f(random_tensor({float32, {2, 0}}), {.axis = 1}), InvalidArgumentError,
               "axis 1 is empty");
  EXPECT_ERROR(f({"a"}, {}), InvalidArgumentError, "Got string[1]");
}

}  // namespace

OP_TEST(argmax) { check_all(argmax, true); }
OP_TEST(argmin) { check_all(argmin, false); }
