#include "alula/ops/top_k.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

Array plain_top_k(const Array& x, int64_t k, bool values) {
  const int64_t n = x.shape.back();
  Array result(x.shape.with(x.shape.rank() - 1, k));
  for (int64_t row = 0; row < (n == 0 ? 0 : x.size() / n); ++row) {
    const double* from = x.values.data() + row * n;
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      return from[i] > from[j] || (!std::isnan(from[i]) && std::isnan(from[j]));
    });
    for (int64_t i = 0; i < k; ++i)
      result.values[row * k + i] = values ? from[order[i]] : static_cast<double>(order[i]);
  }
  return result;
}

void check_top_k(const Tensor& x, int64_t k) {
  SCOPED_TRACE(fmt::format("k = {}", k));
  OpTest::check([&](const auto& in) { return top_k(in[0], k).values; }, {x},
                [&](const auto& in) { return plain_top_k(in[0], k, true); },
                {.gradient = is_spread(x)});
  OpTest::check([&](const auto& in) { return top_k(in[0], k).indices; }, {x},
                [&](const auto& in) { return plain_top_k(in[0], k, false); }, int32);
}

}  // namespace

OP_TEST(top_k) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kNumeric.contains(dtype)) continue;
    for (int64_t n : {1, 7, 33, 300, 1000})
      for (int64_t k : {int64_t{0}, int64_t{1}, n / 3, n}) {
        check_top_k(random_tensor({dtype, {n}}, {-9, 9}), k);
        check_top_k(random_tensor({dtype, {2, 3, n}}, {-1e5, 1e5}), k);
      }
    check_top_k(random_tensor({dtype, {0, 3}}), 2);
    check_top_k(random_tensor({dtype, {3, 0}}), 0);
  }
  check_top_k(random_tensor({float32, {3, 40'000}}), 1000);
  check_top_k(random_tensor({int16, {2, 9000}}, {-99, 99}), 3000);
  check_top_k(random_tensor({int64, {110'000}}, {-1e9, 1e9}), 5);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  check_top_k({nan, 1.f, -0.f, 0.f, nan, -1.f, 5.f}, 7);
  std::vector<int32_t> rising(2000);
  std::iota(rising.begin(), rising.end(), 0);
  check_top_k(Tensor(rising), 3);

  EXPECT_ERROR(top_k({1, 2}, 3), InvalidArgumentError, "shorter than k = 3. Got int32[2]");
  EXPECT_ERROR(top_k({1, 2}, -1), InvalidArgumentError, "k must not be negative. Got -1");
  EXPECT_ERROR(top_k(Tensor(1), 1), InvalidArgumentError, "at least 1 dimension");
  EXPECT_ERROR(top_k({true}, 1), InvalidArgumentError, "Got bool[1]");
}

TEST(TopK, GivesTheGradientToWhatWasChosen) {
  const auto f = [](const std::vector<Tensor>& in) { return top_k(in[0], 2).values; };
  expect_equal(gradient_of(f, {{{1., 9., 5.}, {4., 4., 4.}}}, 0, {{10., 20.}, {30., 40.}}),
               {{2, 3}, {0, 10, 20, 30, 40, 0}}, float32);
  EXPECT_EQ(TopK().needs({0}).inputs, IndexSet());
  EXPECT_EQ(TopK().needs({0}).outputs, IndexSet{1});
}

OP_TEST(in_top_k) {
  const auto plain = [](const Array& targets, const Array& predictions, int64_t k) {
    Array result(targets.shape);
    const int64_t classes = predictions.shape[1];
    for (int64_t row = 0; row < targets.size(); ++row) {
      const double* x = predictions.values.data() + row * classes;
      const auto target = static_cast<int64_t>(targets.values[row]);
      if (target < 0 || target >= classes) continue;
      if (!std::all_of(x, x + classes, [](double v) { return std::isfinite(v); })) continue;
      const auto better =
          std::count_if(x, x + classes, [&](double value) { return value > x[target]; });
      result.values[row] = better < k ? 1 : 0;
    }
    return result;
  };
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (DType target : {int32, int64})
      for (int64_t k : {0, 1, 3, 50})
        for (const Shape& shape : {Shape{0, 5}, Shape{1, 1}, Shape{7, 17}, Shape{3000, 33}})
          OpTest::check([&](const auto& in) { return in_top_k(in[0], in[1], k); },
                        {random_tensor({target, {shape[0]}}, {-1, double(shape[1])}),
                         random_tensor({dtype, shape}, {-2, 2})},
                        [&](const auto& in) { return plain(in[0], in[1], k); }, boolean);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(in_top_k({0, 0, 1}, {{1.f, inf}, {2.f, -inf}, {3.f, 3.f}}, 1).to_vector<bool>(),
            (std::vector<bool>{false, false, true}));
  EXPECT_ERROR(in_top_k({0}, {1.f}, 1), InvalidArgumentError, "predictions [batch, classes]");
  EXPECT_ERROR(in_top_k({0, 1}, {{1.f}}, 1), InvalidArgumentError, "one target for each row");
  EXPECT_ERROR(in_top_k({0.f}, {{1.f}}, 1), InvalidArgumentError, "must be int32 or int64");
}
