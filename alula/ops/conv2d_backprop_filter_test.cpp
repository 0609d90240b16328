#include "alula/ops/conv2d_backprop_filter.h"

#include "alula/ops/conv2d_test.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

void check_filter(const Spec& input, const Shape& filter, const Conv2DOptions& options = {}) {
  const Shape gradient = plain_conv2d_shape(input.shape, filter, options);
  const auto terms = static_cast<double>(gradient[0] * gradient[1] * gradient[2]);
  OpTest::check(
      [&](const std::vector<Tensor>& in) {
        return conv2d_backprop_filter(in[0], filter, in[1], options);
      },
      {random_tensor(input, {-1, 1}), random_tensor(input.with(gradient), {-1, 1})},
      [&](const std::vector<Array>& in) {
        return plain_conv2d_backprop_filter(in[0], filter, in[1], options);
      },
      {.scale = std::sqrt(terms)});
}

}  // namespace

OP_TEST(conv2d_backprop_filter) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    check_filter({dtype, {2, 5, 6, 3}}, {3, 2, 3, 5});
    check_filter({dtype, {2, 5, 6, 3}}, {3, 2, 3, 32}, {.padding = "SAME"});
    check_filter({dtype, {2, 5, 6, 4}}, {3, 3, 2, 6},
                 {.strides = 2, .padding = "SAME"});                           // 2 groups
    check_filter({dtype, {1, 7, 9, 17}}, {3, 3, 1, 17}, {.padding = "SAME"});  // depthwise
    check_filter({dtype, {1, 7, 9, 3}}, {3, 3, 1, 6}, {.strides = 2});
    check_filter({dtype, {3, 4, 5, 33}}, {1, 1, 33, 16});
  }
}

TEST(Conv2DBackpropFilter, TakesEveryOption) {
  for (const Size2 strides : {Size2(1), Size2(2), Size2(3, 2)})
    for (const Size2 dilations : {Size2(1), Size2(2), Size2(1, 3)})
      for (const Padding& padding : {Padding("VALID"), Padding("SAME"), Padding(0, 2, 3, 1)})
        for (const int64_t groups : {1, 2, 4})
          for (const Size2 size : {Size2(1), Size2(2, 3), Size2(3)})
            check_filter({float32, {2, 9, 11, 4}}, {size.height, size.width, 4 / groups, 8},
                         {.strides = strides, .padding = padding, .dilations = dilations});
}

TEST(Conv2DBackpropFilter, TakesEveryNumberOfChannels) {
  for (const int64_t in : {1, 3, 7, 16, 17, 33})
    for (const int64_t out : {1, 3, 7, 16, 17, 33, 48})
      check_filter({float32, {2, 6, 15, in}}, {3, 3, in, out}, {.padding = "SAME"});
}

TEST(Conv2DBackpropFilter, IsSharedByThreads) {
  check_filter({float32, {40, 20, 20, 3}}, {3, 3, 3, 32});
  check_filter({float32, {1, 40, 40, 16}}, {3, 3, 16, 70}, {.padding = "SAME"});
  check_filter({float32, {2, 6, 6, 130}}, {3, 3, 130, 300}, {.padding = "SAME"});
  check_filter({float32, {3, 30, 30, 40}}, {3, 3, 1, 40}, {.padding = "SAME"});
}

TEST(Conv2DBackpropFilter, IsTheSameWithAnyNumberOfThreads) {
  const Tensor input = random_tensor({float32, {20, 20, 20, 8}});
  const Tensor gradient = random_tensor({float32, {20, 18, 18, 32}});
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3, 0}) {
    config::set_intra_op_parallelism_threads(threads);
    results.push_back(conv2d_backprop_filter(input, {3, 3, 8, 32}, gradient).to_vector<float>());
  }
  for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Conv2DBackpropFilter, TakesEmptyInputs) {
  check_filter({float32, {0, 5, 5, 3}}, {3, 3, 3, 4});  // zeros
  check_filter({float32, {2, 5, 5, 3}}, {3, 3, 3, 0});
  check_filter({float32, {2, 0, 5, 3}}, {3, 3, 3, 4}, {.padding = "SAME"});
}

TEST(Conv2DBackpropFilter, SaysWhatIsWrong) {
  const Tensor input = random_tensor({float32, {1, 5, 5, 2}});
  EXPECT_ERROR(conv2d_backprop_filter(input, {3, 3, 2, 4}, random_tensor({float32, {1, 4, 4, 4}})),
               InvalidArgumentError,
               "conv2d_backprop_filter: the gradient must be [1,3,3,4], as conv2d with the filter "
               "float32[3,3,2,4] makes it. Got input float32[1,5,5,2], gradient float32[1,4,4,4].");
  EXPECT_ERROR(conv2d_backprop_filter(input, {3, 3, 2}, input), InvalidArgumentError,
               "conv2d_backprop_filter: the filter must be");
  EXPECT_ERROR(conv2d_backprop_filter(input, {3, 3, 2, 4}, random_tensor({float64, {1, 3, 3, 4}})),
               InvalidArgumentError, "conv2d_backprop_filter: the dtypes differ");
  const Tensor integers = random_tensor({int32, {1, 5, 5, 2}});
  EXPECT_ERROR(conv2d_backprop_filter(integers, {1, 1, 2, 2}, integers), InvalidArgumentError,
               "conv2d_backprop_filter: takes float16");
}
