#include "alula/keras/layers/dense.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Dense, IsALayer) {
  check_layer(
      [] { return layers::Dense({.units = 3, .activation = "relu"}); },
      {.inputs = {{float32, {4, 5}}}, .output = {float32, {4, 3}}, .name = "dense", .params = 18});
  check_layer([] { return layers::Dense({.units = 2, .use_bias = false}); },
              {.inputs = {{float32, {4, 3, 5}}},
               .output = {float32, {4, 3, 2}},
               .name = "dense",
               .params = 10});
}

TEST(Dense, CastsWhatComes) {
  for (DType dtype : {uint8, int32, boolean, float16, float64})
    EXPECT_EQ(layers::Dense({.units = 3})(random_tensor({dtype, {2, 4}})).dtype(), float32);
  EXPECT_EQ(layers::Dense({.units = 3, .dtype = float64})(random_tensor({float32, {2, 4}})).dtype(),
            float64);
}

TEST(Dense, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::Dense({.units = 0}), InvalidArgumentError, "units must be positive. Got 0.");
  const layers::Dense dense({.units = 3, .name = "head"});
  EXPECT_ERROR(dense({1.f, 2.f}), InvalidArgumentError,
               "layer 'head' (Dense): takes inputs of at least 2 dimensions, batch included. Got "
               "float32[2].");
  EXPECT_FALSE(dense.built());
  EXPECT_TRUE(dense.weights().empty());
  (void)dense({{1.f, 2.f}});
  EXPECT_ERROR(dense({{1.f, 2.f, 3.f}}), InvalidArgumentError,
               "layer 'head' (Dense): was built for inputs whose last dimension is 2. Got "
               "float32[1,3].");
}

TEST(Dense, PenalizesItsWeights) {
  const layers::Dense dense({.units = 1,
                             .kernel_initializer = "ones",
                             .bias_initializer = initializers::Constant(2),
                             .kernel_regularizer = regularizers::L2(0.5),
                             .bias_regularizer = "l1"});
  (void)dense({{1.f, 2.f, 3.f}});
  const std::vector<Tensor> losses = dense.losses();
  ASSERT_EQ(losses.size(), 2);
  EXPECT_FLOAT_EQ(losses[0].item<float>(), 1.5);
  EXPECT_FLOAT_EQ(losses[1].item<float>(), 0.02);
  dense.set_trainable(false);
  EXPECT_TRUE(dense.losses().empty());
}
