#include "alula/keras/layers/pooling2d.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(MaxPooling2D, IsALayer) {
  check_layer([] { return layers::MaxPooling2D(); }, {.inputs = {{float32, {2, 6, 7, 3}}},
                                                      .output = {float32, {2, 3, 3, 3}},
                                                      .name = "max_pooling2d"});
  check_layer(
      [] {
        return layers::MaxPooling2D({.pool_size = {3, 2}, .strides = {2, 1}, .padding = "same"});
      },
      {.inputs = {{int32, {2, 5, 6, 2}}},
       .output = {int32, {2, 3, 6, 2}},
       .name = "max_pooling2d"});
}

TEST(AveragePooling2D, IsALayer) {
  check_layer([] { return layers::AveragePooling2D({.pool_size = 2}); },
              {.inputs = {{float32, {2, 6, 7, 3}}},
               .output = {float32, {2, 3, 3, 3}},
               .name = "average_pooling2d"});
  EXPECT_EQ(
      layers::AveragePooling2D({.pool_size = 2})(random_tensor({uint8, {1, 2, 2, 1}})).dtype(),
      float32);
}

TEST(Pooling2D, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::AveragePooling2D(), InvalidArgumentError,
               "AveragePooling2D: pool_size must be positive. Got 0x0. Write {.pool_size = 2}.");
  EXPECT_ERROR(layers::MaxPooling2D({.strides = 0}), InvalidArgumentError,
               "MaxPooling2D: strides must be positive");
  EXPECT_ERROR(layers::MaxPooling2D({.data_format = "channels_first"}), UnimplementedError,
               "MaxPooling2D: only data_format");
  EXPECT_ERROR(layers::MaxPooling2D({.name = "p"})(random_tensor({float32, {4, 4}})),
               InvalidArgumentError, "layer 'p' (MaxPooling2D): takes inputs of 4 dimensions");
  EXPECT_ERROR(layers::MaxPooling2D({.name = "p"})(random_tensor({float32, {1, 1, 4, 1}})),
               InvalidArgumentError, "layer 'p' (MaxPooling2D): max_pool2d: ");
}
