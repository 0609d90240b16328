#include "alula/ops/avg_pool2d.h"

#include "alula/ops/pool2d_test.h"
#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

void check_average(const Spec& input, const Pool2DOptions& options) {
  OpTest::check([&](const std::vector<Tensor>& in) { return avg_pool2d(in[0], options); },
                {random_tensor(input)},
                [&](const std::vector<Array>& in) {
                  Array output(plain_pool2d_shape(in[0].shape, options));
                  const std::vector<int64_t> counts = plain_counts(in[0].shape, options);
                  for_each_in_windows(in[0].shape, options, [&](int64_t i, int64_t o) {
                    output.values[o] += in[0].values[i] / static_cast<double>(counts[o]);
                  });
                  return output;
                });
}

void check_gradient(const Spec& input, const Pool2DOptions& options) {
  const Shape shape = plain_pool2d_shape(input.shape, options);
  OpTest::check(
      [&](const std::vector<Tensor>& in) {
        return avg_pool2d_gradient(input.shape, in[0], options);
      },
      {random_tensor(input.with(shape))},
      [&](const std::vector<Array>& in) {
        Array result(input.shape);
        const std::vector<int64_t> counts = plain_counts(input.shape, options);
        for_each_in_windows(input.shape, options, [&](int64_t i, int64_t o) {
          result.values[i] += in[0].values[o] / static_cast<double>(counts[o]);
        });
        return result;
      });
}

}  // namespace

OP_TEST(avg_pool2d) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    check_average({dtype, {2, 7, 8, 5}}, {.ksize = 3, .strides = 2, .padding = "SAME"});
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_average({float32, shape}, options);
  });
}

OP_TEST(avg_pool2d_gradient) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    check_gradient({dtype, {2, 7, 8, 5}}, {.ksize = 3, .strides = 2, .padding = "SAME"});
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_gradient({float32, shape}, options);
  });
}

TEST(AvgPool2D, HasSecondGradients) {
  compare_second_gradient(
      [](const std::vector<Tensor>& in) {
        return avg_pool2d(in[0], {.ksize = 3, .strides = 2, .padding = "SAME"});
      },
      {random_tensor({float64, {2, 5, 6, 3}})});
}

TEST(AvgPool2D, SaysWhatIsWrong) {
  EXPECT_ERROR(
      avg_pool2d(random_tensor({float32, {4, 4, 1}})), InvalidArgumentError,
      "avg_pool2d: the input must be [batch, height, width, channels]. Got float32[4,4,1].");
  EXPECT_ERROR(avg_pool2d(random_tensor({int32, {1, 4, 4, 1}})), InvalidArgumentError,
               "avg_pool2d: takes float16, bfloat16, float32, float64. Got int32[1,4,4,1].");
  EXPECT_ERROR(avg_pool2d(random_tensor({float32, {1, 4, 4, 1}}), {.ksize = 5}),
               InvalidArgumentError, "avg_pool2d: the window 5x5 is larger than the input.");
  const Tensor gradient = random_tensor({float32, {1, 2, 2, 1}});
  EXPECT_ERROR(avg_pool2d_gradient({1, 6, 4, 1}, gradient), InvalidArgumentError,
               "avg_pool2d_gradient: the gradient must be [1,3,2,1]");
  EXPECT_ERROR(avg_pool2d_gradient({1, 4, 4, 1}, random_tensor({int32, {1, 2, 2, 1}})),
               InvalidArgumentError, "avg_pool2d_gradient: takes");
}
