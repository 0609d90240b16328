#include "alula/ops/cumsum.h"

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Cumulative = Tensor (*)(const Tensor&, const CumulativeOptions&);

Array plain(const Array& x, const CumulativeOptions& options, bool product) {
  const int axis = normalize_axis("plain", options.axis, x.shape.rank());
  Array result(x.shape);
  for_each_index(x.shape.without(axis), [&](const Shape& index) {
    double total = product ? 1 : 0;
    const int64_t n = x.shape[axis];
    for (int64_t i = 0; i < n; ++i) {
      const Shape at = index.with_inserted(axis, options.reverse ? n - 1 - i : i);
      const double next = product ? total * x[at] : total + x[at];
      result[at] = options.exclusive ? total : next;
      total = next;
    }
  });
  return result;
}

void check_cumulative(Cumulative f, bool product, const Spec& spec, int64_t axis, Range range,
                      double size) {
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true}) {
      const CumulativeOptions options{.axis = axis, .exclusive = exclusive, .reverse = reverse};
      SCOPED_TRACE(fmt::format("axis {} exclusive {} reverse {}", axis, exclusive, reverse));
      OpTest::check([&](const auto& in) { return f(in[0], options); }, {random_tensor(spec, range)},
                    [&](const auto& in) { return plain(in[0], options, product); },
                    {.scale = size});
    }
}

void check_all(Cumulative f, bool product) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kNumeric.contains(dtype)) continue;
    const Range range = product ? Range{-1, 1} : Range{-3, 3};
    for (int64_t n : {0, 1, 7, 17, 33}) {
      check_cumulative(f, product, {dtype, {n}}, 0, range, 50);
      check_cumulative(f, product, {dtype, {3, n}}, -1, range, 50);
      check_cumulative(f, product, {dtype, {n, 3}}, 0, range, 50);
      check_cumulative(f, product, {dtype, {2, 5, n}}, 1, range, 50);
    }
  }
  for (DType dtype : {float32, int64}) {
    check_cumulative(f, product, {dtype, {400, 300}}, 0, {0, 1}, 1);
    check_cumulative(f, product, {dtype, {400, 300}}, 1, {0, 1}, 1);
    check_cumulative(f, product, {dtype, {3, 40, 1100}}, 1, {0, 1}, 1);
    check_cumulative(f, product, {dtype, {120'001}}, 0, {0, 1}, 1);
  }
  EXPECT_ERROR(f(Tensor(1.f), {}), InvalidArgumentError, "axis 0 is out of range");
  EXPECT_ERROR(f({1.f}, {.axis = -2}), InvalidArgumentError, "axis -2 is out of range");
  EXPECT_ERROR(f({true}, {}), InvalidArgumentError, "Got bool[1]");
}

}  // namespace

OP_TEST(cumsum) {
  check_all(cumsum, false);
  EXPECT_EQ(cumsum(constant({100, 100}, int8)).to_vector<int8_t>()[1], -56);
}

OP_TEST(cumprod) {
  check_all(cumprod, true);
  // TensorFlow's convention: nothing with respect to a zero.
  expect_equal(
      gradient_of([](const std::vector<Tensor>& in) { return cumprod(in[0]); }, {{2., 0., 3.}}),
      {{3}, {1, 0, 0}}, float32);
  EXPECT_EQ(cumprod(constant({65535, 65535}, uint16)).to_vector<uint16_t>()[1], 1);
}
