#include "alula/keras/layers/rescaling.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Rescaling, IsALayer) {
  check_layer([] { return layers::Rescaling({.scale = 1.0 / 255}); },
              {.inputs = {{uint8, {4, 5}}}, .output = {float32, {4, 5}}, .name = "rescaling"});
  check_layer([] { return layers::Rescaling({.scale = 2, .offset = -1}); },
              {.inputs = {{float32, {4, 5}}}, .output = {float32, {4, 5}}, .name = "rescaling"});
  expect_equal(layers::Rescaling({.scale = 2, .offset = -1})({{1, 2}}), {{1, 2}, {1, 3}}, float32);
}
