#include "alula/keras/layers/depthwise_conv2d.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(DepthwiseConv2D, IsALayer) {
  check_layer(
      [] {
        return layers::DepthwiseConv2D(
            {.kernel_size = 3, .padding = "same", .depth_multiplier = 2, .activation = "tanh"});
      },
      {.inputs = {{float32, {2, 5, 6, 3}}},
       .output = {float32, {2, 5, 6, 6}},
       .name = "depthwise_conv2d",
       .params = 60});
}

/// Each channel by itself: output channel 2 c + k is channel c, filtered by kernel[:, :, c, k].
TEST(DepthwiseConv2D, FiltersChannelsByThemselves) {
  const layers::DepthwiseConv2D layer({.kernel_size = {1, 2}, .depth_multiplier = 2});
  const Tensor x = constant({{{{1, 10}, {2, 20}}}}, float32);  // [1, 1, 2, 2]
  (void)layer(x);
  layer.set_weights({constant({{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}}, float32),
                     constant({0.5, 0, 0, 0}, float32)});
  expect_equal(layer(x), {{1, 1, 1, 4}, {11.5, 14, 170, 200}}, float32);
}

TEST(DepthwiseConv2D, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::DepthwiseConv2D(), InvalidArgumentError,
               "DepthwiseConv2D: kernel_size must be positive");
  EXPECT_ERROR(layers::DepthwiseConv2D({.kernel_size = 2, .depth_multiplier = 0}),
               InvalidArgumentError, "depth_multiplier must be positive");
  const layers::DepthwiseConv2D layer({.kernel_size = 2});
  EXPECT_ERROR(layer(random_tensor({float32, {3, 3, 1}})), InvalidArgumentError,
               "(DepthwiseConv2D): takes inputs of 4 dimensions");
}
