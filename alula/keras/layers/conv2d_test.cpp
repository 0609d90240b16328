#include "alula/keras/layers/conv2d.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Conv2D, IsALayer) {
  check_layer([] { return layers::Conv2D({.filters = 4, .kernel_size = 3, .activation = "relu"}); },
              {.inputs = {{float32, {2, 6, 7, 3}}},
               .output = {float32, {2, 4, 5, 4}},
               .name = "conv2d",
               .params = 112});
  check_layer(
      [] {
        return layers::Conv2D({.filters = 6,
                               .kernel_size = {3, 2},
                               .strides = {2, 1},
                               .padding = "same",
                               .groups = 2,
                               .use_bias = false});
      },
      {.inputs = {{float32, {2, 7, 5, 4}}},
       .output = {float32, {2, 4, 5, 6}},
       .name = "conv2d",
       .params = 72});
}

TEST(Conv2D, CastsWhatComes) {
  EXPECT_EQ(layers::Conv2D({.filters = 2, .kernel_size = 2})(random_tensor({uint8, {1, 3, 3, 1}}))
                .dtype(),
            float32);
}

TEST(Conv2D, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::Conv2D({.kernel_size = 3}), InvalidArgumentError,
               "Conv2D: filters must be positive");
  EXPECT_ERROR(layers::Conv2D({.filters = 3}), InvalidArgumentError,
               "Conv2D: kernel_size must be positive");
  EXPECT_ERROR(layers::Conv2D({.filters = 3, .kernel_size = 3, .strides = 0}), InvalidArgumentError,
               "strides must be positive");
  EXPECT_ERROR(layers::Conv2D({.filters = 3, .kernel_size = 3, .strides = 2, .dilation_rate = 2}),
               InvalidArgumentError, "cannot both be other than 1");
  EXPECT_ERROR(layers::Conv2D({.filters = 3, .kernel_size = 3, .dilation_rate = 0}),
               InvalidArgumentError, "dilation_rate must be positive");
  EXPECT_ERROR(layers::Conv2D({.filters = 3, .kernel_size = 3, .groups = 2}), InvalidArgumentError,
               "groups must divide the 3 filters");
  EXPECT_ERROR(layers::Conv2D({.filters = 3, .kernel_size = 3, .data_format = "channels_first"}),
               UnimplementedError, "only data_format = \"channels_last\" is supported");
  EXPECT_ERROR(layers::Conv2D({.filters = 3, .kernel_size = 3, .data_format = "nhwc"}),
               InvalidArgumentError, "Got \"nhwc\"");
  EXPECT_ERROR(layers::Conv2D({.filters = 3, .kernel_size = 3, .padding = "full"}),
               InvalidArgumentError, "full");
  const layers::Conv2D grouped({.filters = 4, .kernel_size = 1, .groups = 2, .name = "g"});
  EXPECT_ERROR(grouped(random_tensor({float32, {1, 2, 2, 3}})), InvalidArgumentError,
               "layer 'g' (Conv2D): Conv2D: groups must divide the input's channels, 3.");
  EXPECT_TRUE(grouped.weights().empty());
  const layers::Conv2D conv({.filters = 4, .kernel_size = 3, .name = "c"});
  EXPECT_ERROR(conv(random_tensor({float32, {28, 28}})), InvalidArgumentError,
               "layer 'c' (Conv2D): takes inputs of 4 dimensions, batch included. Got "
               "float32[28,28].");
  (void)conv(random_tensor({float32, {1, 4, 4, 2}}));
  EXPECT_ERROR(conv(random_tensor({float32, {1, 4, 4, 3}})), InvalidArgumentError,
               "layer 'c' (Conv2D): was built for inputs whose last dimension is 2");
  EXPECT_ERROR(conv(random_tensor({float32, {1, 2, 2, 2}})), InvalidArgumentError,
               "layer 'c' (Conv2D): conv2d: ");
}
