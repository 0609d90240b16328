#include "alula/keras/layers/conv2d_transpose.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Conv2DTranspose, IsALayer) {
  check_layer(
      [] {
        return layers::Conv2DTranspose(
            {.filters = 2, .kernel_size = 3, .strides = 2, .padding = "same"});
      },
      {.inputs = {{float32, {2, 4, 5, 3}}},
       .output = {float32, {2, 8, 10, 2}},
       .name = "conv2d_transpose",
       .params = 56});
  check_layer(
      [] {
        return layers::Conv2DTranspose(
            {.filters = 2, .kernel_size = {3, 2}, .strides = {2, 3}, .use_bias = false});
      },
      {.inputs = {{float32, {2, 4, 5, 3}}},
       .output = {float32, {2, 9, 15, 2}},
       .name = "conv2d_transpose",
       .params = 36});
}

TEST(Conv2DTranspose, SpreadsWhatAConvolutionGathers) {
  const layers::Conv2DTranspose layer(
      {.filters = 1, .kernel_size = 2, .strides = 2, .kernel_initializer = "ones"});
  const Tensor x = constant({{{{1}, {2}}}}, float32);  // [1, 1, 2, 1]
  expect_equal(layer(x), {{1, 2, 4, 1}, {1, 1, 2, 2, 1, 1, 2, 2}}, float32);
}

TEST(Conv2DTranspose, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::Conv2DTranspose({.kernel_size = 2}), InvalidArgumentError,
               "Conv2DTranspose: filters must be positive");
  EXPECT_ERROR(layers::Conv2DTranspose({.filters = 1, .kernel_size = 2, .padding = {1, 1, 1, 1}}),
               InvalidArgumentError, "padding is \"valid\" or \"same\"");
}
