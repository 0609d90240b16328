#include "alula/keras/layers/layer_normalization.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(LayerNormalization, IsALayer) {
  check_layer([] { return layers::LayerNormalization(); }, {.inputs = {{float32, {4, 3, 5}}},
                                                            .output = {float32, {4, 3, 5}},
                                                            .name = "layer_normalization",
                                                            .params = 10});
  check_layer([] { return layers::LayerNormalization({.axis = {1, 2}, .center = false}); },
              {.inputs = {{float32, {4, 3, 5}}},
               .output = {float32, {4, 3, 5}},
               .name = "layer_normalization",
               .params = 15});
  check_layer([] { return layers::LayerNormalization({.axis = 1, .scale = false}); },
              {.inputs = {{float32, {4, 3, 5}}},
               .output = {float32, {4, 3, 5}},
               .name = "layer_normalization",
               .params = 3});
  EXPECT_EQ(layers::LayerNormalization()(random_tensor({uint8, {4, 3}})).dtype(), float32);
  EXPECT_EQ(
      layers::LayerNormalization({.dtype = bfloat16})(random_tensor({float32, {4, 3}})).dtype(),
      bfloat16);
}

TEST(LayerNormalization, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::LayerNormalization({.epsilon = -1}), InvalidArgumentError,
               "LayerNormalization: epsilon must be positive");
  EXPECT_ERROR(layers::LayerNormalization({.axis = 2})(random_tensor({float32, {2, 2}})),
               InvalidArgumentError, "LayerNormalization: axis 2 is out of range");
  const layers::LayerNormalization layer({.name = "n"});
  (void)layer(random_tensor({float32, {2, 3}}));
  EXPECT_ERROR(layer(random_tensor({float32, {2, 4}})), InvalidArgumentError,
               "layer 'n' (LayerNormalization): was built for inputs whose last dimension is 3");
}
