#include "alula/ops/softmax.h"

#include <cmath>
#include <limits>

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Function1 = Tensor (*)(const Tensor&, const SoftmaxOptions&);

Array plain(const Array& x, int64_t given, bool log) {
  const int axis = normalize_axis("plain", given, x.shape.rank());
  Array result(x.shape);
  for_each_index(x.shape.without(axis), [&](const Shape& index) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    const int64_t n = x.shape[axis];
    const auto at = [&](int64_t i) { return index.with_inserted(axis, i); };
    for (int64_t i = 0; i < n; ++i)
      largest = x[at(i)] > largest || std::isnan(x[at(i)]) ? x[at(i)] : largest;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(x[at(i)] - largest);
    for (int64_t i = 0; i < n; ++i)
      result[at(i)] = log ? x[at(i)] - largest - std::log(sum) : std::exp(x[at(i)] - largest) / sum;
  });
  return result;
}

void check_softmax(Function1 f, bool log, const Tensor& x, int64_t axis) {
  SCOPED_TRACE(fmt::format("axis {}", axis));
  OpTest::check([&](const auto& in) { return f(in[0], {.axis = axis}); }, {x},
                [&](const auto& in) { return plain(in[0], axis, log); });
}

void check_all(Function1 f, bool log) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    for (int64_t n : {1, 2, 7, 10, 15, 16, 17, 33, 300}) {
      check_softmax(f, log, random_tensor({dtype, {n}}, {-20, 20}), 0);
      check_softmax(f, log, random_tensor({dtype, {5, n}}, {-20, 20}), -1);
      check_softmax(f, log, random_tensor({dtype, {n, 5}}, {-20, 20}), 0);
      check_softmax(f, log, random_tensor({dtype, {2, 9, n}}, {-20, 20}), 1);
    }
    check_softmax(f, log, random_tensor({dtype, {1000, 10}}, {-5, 5}), -1);
    check_softmax(f, log, random_tensor({dtype, {3, 40'000}}, {-5, 5}), -1);
    check_softmax(f, log, random_tensor({dtype, {3, 40'000}}, {-5, 5}), 0);
    check_softmax(f, log, random_tensor({dtype, {20'000, 6}}, {-5, 5}), 0);
    check_softmax(f, log, random_tensor({dtype, {4, 50, 700}}, {-5, 5}), 1);
    for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 4}})
      check_softmax(f, log, random_tensor({dtype, shape}), -1);
  }
  // Large values do not overflow; minus infinity masks an element out; NaN spreads over its row
  // only.
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor specials = {{1000.f, 999.f, -1000.f, 500.f},
                           {1.f, -inf, 2.f, -inf},
                           {1.f, nan, 2.f, 3.f},
                           {inf, 1.f, 2.f, 3.f},
                           {-inf, -inf, -inf, -inf},
                           {1e38f, -1e38f, 0.f, 1e38f},
                           {-90.f, 0.f, -80.f, -104.f}};
  const Tensor turned(
      [&] {
        std::vector<float> values;
        for (int j = 0; j < 4; ++j)
          for (int i = 0; i < 7; ++i) values.push_back(specials.span<float>()[i * 4 + j]);
        return values;
      }(),
      {4, 7});
  check_softmax(f, log, specials, 1);
  check_softmax(f, log, turned, 0);
  EXPECT_ERROR(f(Tensor(1.f), {}), InvalidArgumentError, "axis -1 is out of range");
  EXPECT_ERROR(f({1.f}, {.axis = 1}), InvalidArgumentError, "axis 1 is out of range");
  EXPECT_ERROR(f({1}, {}), InvalidArgumentError, "Got int32[1]. Use cast()");
}

}  // namespace

OP_TEST(softmax) { check_all(softmax, false); }
OP_TEST(log_softmax) { check_all(log_softmax, true); }

TEST(Softmax, HasSecondGradients) {
  for (Function1 f : {softmax, log_softmax})
    for (int64_t axis : {0, 1})
      compare_second_gradient(
          [&](const std::vector<Tensor>& in) { return f(in[0], {.axis = axis}); },
          {random_tensor({float64, {3, 5}})});
}

TEST(Softmax, KeepsOnlyItsOutput) {
  EXPECT_EQ(Softmax().needs({0}).inputs, IndexSet());
  EXPECT_EQ(LogSoftmax().needs({0}).inputs, IndexSet());
}
