#include "alula/ops/statistics.h"

#include <cmath>
#include <limits>

#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Statistic = std::function<double(const std::vector<double>&)>;

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

/// A statistic of the elements that go into each result.
Array plain(const Array& x, const ReduceOptions& options, const Statistic& statistic) {
  const auto reduced = options.axis.among("plain", x.shape.rank());
  Array result(reduced_shape("plain", x.shape, {options.axis, true}));
  for_each_index(result.shape, [&](const Shape& to) {
    std::vector<double> values;
    for_each_index(x.shape, [&](const Shape& from) {
      bool same = true;
      for (int i = 0; i < from.rank(); ++i) same = same && (reduced[i] || from[i] == to[i]);
      if (same) values.push_back(x[from]);
    });
    result[to] = statistic(values);
  });
  result.shape = reduced_shape("plain", x.shape, options);
  return result;
}

void check_statistic(const std::function<Tensor(const Tensor&, const ReduceOptions&)>& f,
                     const Statistic& statistic, Range range) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (const Shape& shape : {Shape{5, 17}, Shape{1, 3}, Shape{33, 2}})
      for (const ReduceOptions& options :
           {ReduceOptions{}, {.axis = 0}, {.axis = -1, .keepdims = true}, {.axis = {0, 1}}}) {
        // A standard deviation of 0, as of one element, has no gradient: NaN, as in TensorFlow.
        const bool smooth = reduced_shape("test", shape, options).size() < shape.size();
        OpTest::check([&](const auto& in) { return f(in[0], options); },
                      {random_tensor({dtype, shape}, range)},
                      [&](const auto& in) { return plain(in[0], options, statistic); },
                      {.scale = 10, .gradient = smooth});
      }
  EXPECT_ERROR(f({1}, {}), InvalidArgumentError, "Got int32[1]. Use cast()");
  EXPECT_ERROR(f(Tensor(), {}), InvalidArgumentError, "is not defined yet");
  EXPECT_ERROR(f({1.f}, {.axis = 1}), InvalidArgumentError, "axis 1 is out of range");
}

const float kInf = std::numeric_limits<float>::infinity();

}  // namespace

TEST(Statistics, Variance) {
  check_statistic(reduce_variance, variance_of, {-3, 5});
  EXPECT_TRUE(std::isnan(reduce_variance(random_tensor({float32, {0}})).item<float>()));
  // 300 squared is too large for float16; the variance is not.
  const Tensor far = constant({300., 302.}, float16);
  EXPECT_EQ(static_cast<float>(reduce_variance(far).item<Half>()), 1);
}

TEST(Statistics, StandardDeviation) {
  check_statistic(reduce_std, [](const auto& values) { return std::sqrt(variance_of(values)); },
                  {-3, 5});
}

TEST(Statistics, LogSumExp) {
  check_statistic(reduce_logsumexp,
                  [](const auto& values) {
                    double sum = 0;
                    for (double value : values) sum += std::exp(value);
                    return std::log(sum);
                  },
                  {-3, 5});
  EXPECT_FLOAT_EQ(reduce_logsumexp({1000.f, 1000.f}).item<float>(), 1000 + std::log(2.f));
  EXPECT_FLOAT_EQ(reduce_logsumexp({-kInf, 3.f}).item<float>(), 3);
  EXPECT_EQ(reduce_logsumexp({-kInf, -kInf}).item<float>(), -kInf);
  EXPECT_EQ(reduce_logsumexp({kInf, 1.f}).item<float>(), kInf);
  EXPECT_EQ(reduce_logsumexp(random_tensor({float32, {0}})).item<float>(), -kInf);
}

TEST(Statistics, Moments) {
  const auto mean = [](const Tensor& x, const ReduceOptions& options) {
    return moments(x, options).mean;
  };
  const auto variance = [](const Tensor& x, const ReduceOptions& options) {
    return moments(x, options).variance;
  };
  check_statistic(mean, mean_of, {-3, 5});
  check_statistic(variance, variance_of, {-3, 5});
}

TEST(Statistics, L2Normalize) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    OpTest::check([](const auto& in) { return l2_normalize(in[0], {.axis = 1}); },
                  {random_tensor({dtype, {5, 17}})},
                  [](const auto& in) {
                    Array result = in[0];
                    for (int64_t i = 0; i < 5; ++i) {
                      double sum = 0;
                      for (int64_t j = 0; j < 17; ++j) sum += in[0][{i, j}] * in[0][{i, j}];
                      for (int64_t j = 0; j < 17; ++j) result[{i, j}] /= std::sqrt(sum);
                    }
                    return result;
                  });
  EXPECT_EQ(l2_normalize({0.f, 0.f}).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_ERROR(l2_normalize({1}), InvalidArgumentError, "Got int32[1]");
}

TEST(Statistics, HaveSecondGradients) {
  using Function1 = Tensor (*)(const Tensor&, const ReduceOptions&);
  for (Function1 f : {reduce_variance, reduce_std, reduce_logsumexp})
    compare_second_gradient([&](const std::vector<Tensor>& in) { return f(in[0], {.axis = 1}); },
                            {random_tensor({float64, {3, 5}})});
}
