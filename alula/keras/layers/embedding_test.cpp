#include "alula/keras/layers/embedding.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Embedding, IsALayer) {
  for (DType dtype : {int32, int64, uint8, float32})
    check_layer([] { return layers::Embedding({.input_dim = 7, .output_dim = 3}); },
                {.inputs = {{dtype, {4, 5}}},
                 .output = {float32, {4, 5, 3}},
                 .name = "embedding",
                 .params = 21,
                 .floating_gradient = false,
                 .range = {0, 6}});
}

TEST(Embedding, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::Embedding({.input_dim = 0, .output_dim = 3}), InvalidArgumentError,
               "Embedding: input_dim and output_dim must be positive. Got 0 and 3.");
  EXPECT_ERROR(layers::Embedding({.input_dim = 2, .output_dim = 3, .mask_zero = true}),
               UnimplementedError, "mask_zero = true is not supported");
  const layers::Embedding layer({.input_dim = 2, .output_dim = 3, .name = "e"});
  EXPECT_ERROR(layer({{0, 2}}), InvalidArgumentError, "layer 'e' (Embedding): gather: ");
}
