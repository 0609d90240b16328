#include "alula/ops/batch_norm.h"

#include <cmath>

#include "alula/ops/reduce.h"
#include "alula/ops/statistics.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

struct Plain {
  Array y, mean, variance;
};

/// gamma and beta are at 1 and 2, if they are given.
Plain plain(const std::vector<Array>& in, const BatchNormOptions& options) {
  const Array& x = in[0];
  const int axis = normalize_axis("plain", options.axis, x.shape.rank());
  const Shape channels{x.shape[axis]};
  const double count = static_cast<double>(x.shape.without(axis).size());
  Plain result{Array(x.shape), Array(channels), Array(channels)};
  for_each_index(x.shape, [&](const Shape& at) { result.mean.values[at[axis]] += x[at] / count; });
  for_each_index(x.shape, [&](const Shape& at) {
    const double distance = x[at] - result.mean.values[at[axis]];
    result.variance.values[at[axis]] += distance * distance / count;
  });
  for_each_index(x.shape, [&](const Shape& at) {
    const int64_t c = at[axis];
    const double z =
        (x[at] - result.mean.values[c]) / std::sqrt(result.variance.values[c] + options.epsilon);
    result.y[at] = in.size() > 1 ? z * in[1].values[c] + in[2].values[c] : z;
  });
  return result;
}

DType kept_in(DType dtype) { return is_half(dtype) ? float32 : dtype; }

void check_forward(const Spec& x, const BatchNormOptions& options) {
  SCOPED_TRACE(fmt::format("axis {}", options.axis));
  const Spec channels{kept_in(x.dtype), {x.shape[normalize_axis("test", options.axis, x.rank())]}};
  const std::vector<Tensor> inputs = {random_tensor(x), random_tensor(channels),
                                      random_tensor(channels)};
  const Tolerance tolerance{.relative = x.dtype == float32 ? 1e-5 : 0, .scale = 4};
  OpTest::check([&](const auto& in) { return batch_norm(in[0], in[1], in[2], options).y; }, inputs,
                [&](const auto& in) { return plain(in, options).y; }, x.dtype, tolerance);
  OpTest::check([&](const auto& in) { return batch_norm(in[0], options).y; }, {inputs[0]},
                [&](const auto& in) { return plain(in, options).y; }, x.dtype, tolerance);
  const Tolerance flat{.scale = 4, .gradient = false};
  OpTest::check([&](const auto& in) { return batch_norm(in[0], options).mean; }, {inputs[0]},
                [&](const auto& in) { return plain(in, options).mean; }, channels.dtype, flat);
  OpTest::check([&](const auto& in) { return batch_norm(in[0], options).variance; }, {inputs[0]},
                [&](const auto& in) { return plain(in, options).variance; }, channels.dtype, flat);
}

/// The gradients of x, gamma and beta, from x, dy and gamma, by the textbook's formula.
std::vector<Array> plain_gradients(const std::vector<Array>& in, const BatchNormOptions& options) {
  const Array &x = in[0], &dy = in[1];
  const int axis = normalize_axis("plain", options.axis, x.shape.rank());
  const Shape channels{x.shape[axis]};
  const double count = static_cast<double>(x.shape.without(axis).size());
  const Plain forward = plain({x}, options);
  Array dx(x.shape), dgamma(channels), dbeta(channels);
  for_each_index(x.shape, [&](const Shape& at) {
    dgamma.values[at[axis]] += dy[at] * forward.y[at];
    dbeta.values[at[axis]] += dy[at];
  });
  for_each_index(x.shape, [&](const Shape& at) {
    const int64_t c = at[axis];
    const double gamma = in.size() > 2 ? in[2].values[c] : 1;
    dx[at] = gamma / std::sqrt(forward.variance.values[c] + options.epsilon) *
             (dy[at] - dbeta.values[c] / count - forward.y[at] * dgamma.values[c] / count);
  });
  return {dx, dgamma, dbeta};
}

void check_backward(const Spec& x, const BatchNormOptions& options) {
  SCOPED_TRACE(fmt::format("axis {}", options.axis));
  const Spec channels{kept_in(x.dtype), {x.shape[normalize_axis("test", options.axis, x.rank())]}};
  const std::vector<Tensor> inputs = {random_tensor(x), random_tensor(x), random_tensor(channels)};
  for (size_t given : {2, 3})
    for (int which : {0, 1, 2}) {
      SCOPED_TRACE(fmt::format("gradient {} of {} inputs", which, given));
      OpTest::check(
          [&](const auto& in) {
            const BatchNormGradients gradients =
                batch_norm_gradient(in[0], in.size() > 2 ? in[2] : Tensor(),
                                    batch_norm(in[0], options), in[1], options);
            return which == 0 ? gradients.x : which == 1 ? gradients.gamma : gradients.beta;
          },
          {inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(given)},
          [&](const auto& in) { return plain_gradients(in, options)[which]; },
          which == 0 ? x.dtype : channels.dtype,
          {.relative = x.dtype == float32 ? 1e-5
                       : is_half(x.dtype) ? 2e-2
                                          : 1e-11,
           .scale = which == 0 ? 4.0 : 40.0});
    }
}

}  // namespace

OP_TEST(batch_norm) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    check_forward({dtype, {8, 5}}, {});
    check_forward({dtype, {2, 3, 4, 6}}, {.epsilon = 1e-5});
    check_forward({dtype, {2, 3, 4, 5}}, {.axis = 1});
    check_forward({dtype, {6, 70}}, {.axis = 0});
    check_forward({dtype, {7}}, {});
    check_forward({dtype, {3, 1, 2, 1}}, {});
  }
  for (DType dtype : {float32, float64}) {  // several tiles, and odd ends of them
    check_forward({dtype, {1000, 33}}, {});
    check_forward({dtype, {5, 11, 13, 17}}, {});
    check_forward({dtype, {3000, 16}}, {});
    check_forward({dtype, {2, 9000}}, {});
    check_forward({dtype, {3, 4, 1001}}, {.axis = 1});
    check_forward({dtype, {40'001, 1}}, {});
  }
  // Far from 0, where sums of squares would cancel out.
  OpTest::check([](const auto& in) { return batch_norm(in[0]).y; },
                {random_tensor({float64, {500, 16}}, {1e6, 1e6 + 1})},
                [](const auto& in) { return plain(in, {}).y; }, {.relative = 1e-8});
  const BatchNormResult far = batch_norm(random_tensor({float32, {5000, 3}}, {4095, 4097}));
  for (float variance : far.variance.to_vector<float>()) EXPECT_NEAR(variance, 1.0 / 3, 0.02);
  expect_equal(batch_norm({{1.f}, {3.f}}, {2.f}, {5.f}, {.epsilon = 0}).y, {{2, 1}, {3, 7}},
               float32);
  // Nothing has no mean.
  const BatchNormResult none = batch_norm(random_tensor({float32, {0, 3}}));
  EXPECT_EQ(to_string(none.y.shape()), "[0,3]");
  for (float mean : none.mean.to_vector<float>()) EXPECT_TRUE(std::isnan(mean));
  EXPECT_EQ(to_string(batch_norm(random_tensor({float32, {4, 0}})).mean.shape()), "[0]");

  const Tensor x = random_tensor({float32, {4, 3}}), c = random_tensor({float32, {3}});
  EXPECT_ERROR(batch_norm(x, c, random_tensor({float32, {4}})), InvalidArgumentError,
               "batch_norm: beta must be float32[3]. Got x float32[4,3], beta float32[4].");
  EXPECT_ERROR(batch_norm(x, random_tensor({float64, {3}}), c), InvalidArgumentError,
               "batch_norm: gamma must be float32[3]");
  EXPECT_ERROR(batch_norm({{1, 2}}), InvalidArgumentError, "batch_norm: takes");
  EXPECT_ERROR(batch_norm(x, {.axis = 2}), InvalidArgumentError, "axis 2 is out of range");
  EXPECT_ERROR(batch_norm(x, {.epsilon = -1}), InvalidArgumentError, "epsilon cannot be negative");
}

OP_TEST(batch_norm_gradient) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    check_backward({dtype, {8, 5}}, {});
    check_backward({dtype, {2, 3, 2, 6}}, {.epsilon = 1e-2});
    check_backward({dtype, {2, 3, 4}}, {.axis = 1});
    check_backward({dtype, {3, 7}}, {.axis = 0});
  }
  for (DType dtype : {float32, float64}) {
    check_backward({dtype, {1000, 33}}, {});
    check_backward({dtype, {3, 4, 1001}}, {.axis = 1});
  }
  const Tensor x = random_tensor({float32, {4, 3}});
  const BatchNormGradients none = batch_norm_gradient(random_tensor({float32, {0, 3}}), Tensor(),
                                                      batch_norm(random_tensor({float32, {0, 3}})),
                                                      random_tensor({float32, {0, 3}}));
  expect_equal(none.gamma, Array({3}), float32);
  const BatchNormResult result = batch_norm(x);
  EXPECT_ERROR(batch_norm_gradient(x, Tensor(), result, random_tensor({float32, {4, 2}})),
               InvalidArgumentError, "dy must be like x. Got x float32[4,3], dy float32[4,2].");
  EXPECT_ERROR(batch_norm_gradient(x, {1.f}, result, x), InvalidArgumentError,
               "gamma must be float32[3]");
}
