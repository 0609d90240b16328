#include "alula/keras/layers/reshape.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Reshape, IsALayer) {
  check_layer(
      [] { return layers::Reshape({.target_shape = {4, 6}}); },
      {.inputs = {{float32, {2, 3, 8}}}, .output = {float32, {2, 4, 6}}, .name = "reshape"});
  check_layer([] { return layers::Reshape({.target_shape = {2, -1, 3}}); },
              {.inputs = {{int64, {5, 24}}}, .output = {int64, {5, 2, 4, 3}}, .name = "reshape"});
  check_layer([] { return layers::Reshape({.target_shape = {}}); },
              {.inputs = {{float32, {5, 1}}}, .output = {float32, {5}}, .name = "reshape"});
}

TEST(Reshape, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::Reshape({.target_shape = {-1, -1}}), InvalidArgumentError,
               "only one dimension of target_shape may be -1");
  EXPECT_ERROR(
      layers::Reshape({.target_shape = {5}, .name = "r"})(random_tensor({float32, {2, 4}})),
      InvalidArgumentError,
      "layer 'r' (Reshape): Reshape: an example of 4 elements does not fit target_shape [5]");
  EXPECT_ERROR(layers::Reshape({.target_shape = {3, -1}})(random_tensor({float32, {3, 4}})),
               InvalidArgumentError, "an example of 4 elements does not fit target_shape [3,?]");
}
