#include "alula/keras/layers/zero_padding2d.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(ZeroPadding2D, IsALayer) {
  check_layer([] { return layers::ZeroPadding2D(); }, {.inputs = {{float32, {2, 3, 4, 5}}},
                                                       .output = {float32, {2, 5, 6, 5}},
                                                       .name = "zero_padding2d"});
  check_layer([] { return layers::ZeroPadding2D({.padding = {1, 2}}); },
              {.inputs = {{uint8, {2, 3, 4, 5}}},
               .output = {uint8, {2, 5, 8, 5}},
               .name = "zero_padding2d"});
  check_layer([] { return layers::ZeroPadding2D({.padding = {{1, 0}, {2, 3}}}); },
              {.inputs = {{float32, {2, 3, 4, 5}}},
               .output = {float32, {2, 4, 9, 5}},
               .name = "zero_padding2d"});
  EXPECT_ERROR(layers::ZeroPadding2D({.padding = {{1, 0}, {-2, 3}}}), InvalidArgumentError,
               "padding cannot be negative. Got {{1, 0}, {-2, 3}}.");
  EXPECT_ERROR(layers::ZeroPadding2D()(random_tensor({float32, {2, 2}})), InvalidArgumentError,
               "(ZeroPadding2D): takes inputs of 4 dimensions");
}
