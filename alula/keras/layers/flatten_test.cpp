#include "alula/keras/layers/flatten.h"

#include "alula/keras/input.h"
#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Flatten, IsALayer) {
  check_layer(
      [] { return layers::Flatten(); },
      {.inputs = {{float32, {2, 3, 4, 2}}}, .output = {float32, {2, 24}}, .name = "flatten"});
  check_layer([] { return layers::Flatten(); },
              {.inputs = {{int32, {5}}}, .output = {int32, {5, 1}}, .name = "flatten"});
  check_layer([] { return layers::Flatten(); },
              {.inputs = {{uint8, {3, 0, 2}}}, .output = {uint8, {3, 0}}, .name = "flatten"});
}

TEST(Flatten, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::Flatten({.name = "f"})(Tensor(1.f)), InvalidArgumentError,
               "layer 'f' (Flatten): takes inputs of at least 1 dimensions");
  EXPECT_ERROR(layers::Flatten({.name = "f"})(Input({.shape = {kUnknown, 3}})),
               InvalidArgumentError,
               "layer 'f' (Flatten): Flatten: the size of an example must be");
}
