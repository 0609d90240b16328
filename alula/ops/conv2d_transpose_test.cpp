#include "alula/ops/conv2d_transpose.h"

#include "alula/ops/conv2d_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

void check_transpose(DType dtype, const Shape& input, const Shape& filter,
                     const Conv2DOptions& options = {}) {
  const Range range = is_integer(dtype) ? Range{-9, 9} : Range{-1, 1};
  const Shape gradient = plain_conv2d_shape(input, filter, options);
  const auto terms = static_cast<double>(filter[0] * filter[1] * filter[3]);
  const std::vector<Tensor> inputs{random_tensor({dtype, filter}, range),
                                   random_tensor({dtype, gradient}, range)};
  const Reference reference = [&](const std::vector<Array>& in) {
    return plain_conv2d_backprop_input(input, in[0], in[1], options);
  };
  OpTest::check(
      [&](const std::vector<Tensor>& in) {
        return conv2d_backprop_input(input, in[0], in[1], options);
      },
      inputs, reference, {.scale = std::sqrt(terms)});
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return conv2d_transpose(in[1], in[0], input, options); },
      inputs, reference, {.scale = std::sqrt(terms)});
}

}  // namespace

OP_TEST(conv2d_backprop_input) {
  for (DType dtype : {float16, bfloat16, float32, float64, int32}) {
    check_transpose(dtype, {2, 5, 6, 3}, {3, 2, 3, 5});
    check_transpose(dtype, {2, 5, 6, 4}, {3, 3, 2, 6},
                    {.strides = 2, .padding = "SAME"});                         // 2 groups
    check_transpose(dtype, {1, 7, 9, 17}, {3, 3, 1, 17}, {.padding = "SAME"});  // depthwise
    check_transpose(dtype, {1, 7, 9, 3}, {3, 3, 1, 6}, {.strides = 2});
    check_transpose(dtype, {3, 4, 5, 33}, {1, 1, 33, 16});
  }
}

TEST(Conv2DTranspose, TakesEveryOption) {
  for (const Size2 strides : {Size2(1), Size2(2), Size2(3, 2)})
    for (const Size2 dilations : {Size2(1), Size2(2), Size2(1, 3)})
      for (const Padding& padding : {Padding("VALID"), Padding("SAME"), Padding(0, 2, 3, 1)})
        for (const int64_t groups : {1, 2, 4})
          for (const Size2 size : {Size2(1), Size2(2, 3), Size2(3)})
            check_transpose(float32, {2, 9, 11, 4}, {size.height, size.width, 4 / groups, 8},
                            {.strides = strides, .padding = padding, .dilations = dilations});
}

TEST(Conv2DTranspose, TakesEveryNumberOfChannels) {
  for (const int64_t in : {1, 3, 7, 16, 17, 33})
    for (const int64_t out : {1, 3, 7, 16, 17, 33})
      check_transpose(float32, {2, 6, 15, in}, {3, 3, in, out}, {.padding = "SAME"});
}

TEST(Conv2DTranspose, IsSharedByThreads) {
  check_transpose(float32, {10, 20, 20, 8}, {3, 3, 8, 32}, {.strides = 2});
  check_transpose(float32, {1, 3, 3, 130}, {3, 3, 130, 300}, {.padding = "SAME"});
}

TEST(Conv2DTranspose, TakesEmptyInputs) {
  check_transpose(float32, {0, 5, 5, 3}, {3, 3, 3, 4});
  check_transpose(float32, {2, 5, 5, 3}, {3, 3, 3, 0});  // zeros
}

TEST(Conv2DTranspose, MakesTheShapeThatItIsAskedFor) {
  const Tensor input = random_tensor({float32, {1, 3, 3, 2}});
  const Tensor filter = random_tensor({float32, {3, 3, 1, 2}});
  for (const int64_t size : {5, 6})  // a conv2d of stride 2 makes 3x3 of either
    EXPECT_EQ(conv2d_transpose(input, filter, {1, size, size, 1}, {.strides = 2, .padding = "SAME"})
                  .shape(),
              (Shape{1, size, size, 1}));
}

TEST(Conv2DTranspose, SaysWhatIsWrong) {
  const auto run = [](const Shape& input, const Shape& filter, const Shape& output,
                      const Conv2DOptions& options = {}) {
    return conv2d_transpose(random_tensor({float32, input}), random_tensor({float32, filter}),
                            output, options);
  };
  EXPECT_ERROR(
      run({1, 3, 3, 2}, {3, 3, 1, 2}, {5, 5, 1}), InvalidArgumentError,
      "conv2d_transpose: output_shape must be [batch, height, width, channels]. Got [5,5,1].");
  EXPECT_ERROR(run({1, 3, 3, 2}, {3, 3, 1}, {1, 5, 5, 1}), InvalidArgumentError,
               "conv2d_transpose: the filter must be");
  EXPECT_ERROR(
      run({1, 3, 3, 2}, {3, 3, 1, 2}, {1, 6, 6, 1}), InvalidArgumentError,
      "conv2d_transpose: to make [1,6,6,1] with this filter, the input must be [1,4,4,2]. Got "
      "input float32[1,3,3,2], filter float32[3,3,1,2].");
  EXPECT_ERROR(conv2d_transpose(Tensor(), Tensor(), {1, 1, 1, 1}), InvalidArgumentError,
               "not defined yet");
  const Tensor filter = random_tensor({float32, {3, 3, 1, 2}});
  EXPECT_ERROR(conv2d_backprop_input({1, 5, 5, 1}, filter, random_tensor({float32, {1, 4, 4, 2}})),
               InvalidArgumentError, "conv2d_backprop_input: the gradient must be [1,3,3,2]");
  EXPECT_ERROR(conv2d_backprop_input({1, 5, 5, 1}, filter, random_tensor({float64, {1, 3, 3, 2}})),
               InvalidArgumentError, "conv2d_backprop_input: the dtypes differ");
  EXPECT_ERROR(conv2d_backprop_input({1, 5, 5, 1}, random_tensor({int8, {3, 3, 1, 2}}),
                                     random_tensor({int8, {1, 3, 3, 2}})),
               InvalidArgumentError, "conv2d_backprop_input: takes float16");
}
