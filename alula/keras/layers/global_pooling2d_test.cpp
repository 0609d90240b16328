#include "alula/keras/layers/global_pooling2d.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(GlobalAveragePooling2D, IsALayer) {
  check_layer([] { return layers::GlobalAveragePooling2D(); },
              {.inputs = {{float32, {2, 4, 5, 3}}},
               .output = {float32, {2, 3}},
               .name = "global_average_pooling2d"});
  check_layer([] { return layers::GlobalAveragePooling2D({.keepdims = true}); },
              {.inputs = {{int32, {2, 4, 5, 3}}},
               .output = {float32, {2, 1, 1, 3}},
               .name = "global_average_pooling2d"});
}

TEST(GlobalMaxPooling2D, IsALayer) {
  check_layer([] { return layers::GlobalMaxPooling2D(); }, {.inputs = {{float32, {2, 4, 5, 3}}},
                                                            .output = {float32, {2, 3}},
                                                            .name = "global_max_pooling2d"});
  EXPECT_ERROR(layers::GlobalMaxPooling2D({.name = "g"})(random_tensor({float32, {4, 4}})),
               InvalidArgumentError, "layer 'g' (GlobalMaxPooling2D): takes inputs of 4");
  EXPECT_ERROR(layers::GlobalMaxPooling2D({.data_format = "channels_first"}), UnimplementedError,
               "GlobalMaxPooling2D: only data_format");
}
