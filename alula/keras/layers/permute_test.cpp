#include "alula/keras/layers/permute.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Permute, IsALayer) {
  check_layer(
      [] { return layers::Permute({.dims = {3, 1, 2}}); },
      {.inputs = {{float32, {2, 3, 4, 5}}}, .output = {float32, {2, 5, 3, 4}}, .name = "permute"});
  EXPECT_ERROR(
      layers::Permute({.dims = {0, 1}}), InvalidArgumentError,
      "Permute: dims must be the numbers from 1 to 2, each once; the batch, 0, stays where "
      "it is. Got 0, 1.");
  EXPECT_ERROR(layers::Permute({.dims = {2, 1}})(random_tensor({float32, {2, 2}})),
               InvalidArgumentError, "(Permute): takes inputs of 3 dimensions");
}
