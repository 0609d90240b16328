#include "alula/keras/layers/batch_normalization.h"

#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(BatchNormalization, IsALayer) {
  check_layer([] { return layers::BatchNormalization(); }, {.inputs = {{float32, {4, 3, 2, 5}}},
                                                            .output = {float32, {4, 3, 2, 5}},
                                                            .name = "batch_normalization",
                                                            .params = 20,
                                                            .trainable_params = 10});
  check_layer([] { return layers::BatchNormalization({.axis = 1, .center = false}); },
              {.inputs = {{float32, {4, 3, 2, 5}}},
               .output = {float32, {4, 3, 2, 5}},
               .name = "batch_normalization",
               .params = 9,
               .trainable_params = 3});
  check_layer([] { return layers::BatchNormalization({.scale = false}); },
              {.inputs = {{float32, {4, 3}}},
               .output = {float32, {4, 3}},
               .name = "batch_normalization",
               .params = 9,
               .trainable_params = 3});
  EXPECT_EQ(layers::BatchNormalization()(random_tensor({int32, {4, 3}})).dtype(), float32);
  const layers::BatchNormalization half({.dtype = float16});
  for (bool training : {false, true})
    EXPECT_EQ(half(random_tensor({float16, {4, 3}}), {.training = training}).dtype(), float16);
  EXPECT_EQ(half->moving_mean.dtype(), float32);
}

TEST(BatchNormalization, AveragesOverTime) {
  const layers::BatchNormalization layer({.momentum = 0.9});
  const Tensor x = {{1.F, 10.F}, {3.F, 30.F}};
  (void)layer(x);
  expect_equal(layer->moving_mean, {{2}, {0, 0}}, float32);
  (void)layer(x, {.training = true});
  expect_equal(layer->moving_mean, {{2}, {0.2, 2}}, float32);
  expect_equal(layer->moving_variance, {{2}, {1, 10.9}}, float32);
  (void)layer(x, {.training = true});
  expect_equal(layer->moving_mean, {{2}, {0.38, 3.8}}, float32);
}

TEST(BatchNormalization, LeavesItsAveragesWhereTheyAre) {
  const layers::BatchNormalization layer;
  const Tensor x = random_tensor({float32, {16, 3}});
  (void)layer(x);
  const void* place = layer->moving_mean.storage().data();
  (void)layer(x, {.training = true});
  EXPECT_EQ(layer->moving_mean.storage().data(), place);
}

/// Frozen, it takes its averages even in training, and does not change them.
TEST(BatchNormalization, IsFrozen) {
  const layers::BatchNormalization layer({.trainable = false});
  const Tensor x = random_tensor({float32, {16, 3}}, {5, 6});
  const Tensor y = layer(x);
  expect_equal(layer(x, {.training = true}), to_array(y), float32);
  expect_equal(layer->moving_mean, Array({3}), float32);
  layer.set_trainable(true);
  (void)layer(x, {.training = true});
  EXPECT_GT(layer->moving_mean.value().to_vector<float>()[0], 0);
}

TEST(BatchNormalization, SaysWhatIsWrong) {
  EXPECT_ERROR(layers::BatchNormalization({.epsilon = 0}), InvalidArgumentError,
               "epsilon must be positive");
  EXPECT_ERROR(layers::BatchNormalization({.momentum = 2}), InvalidArgumentError,
               "the momentum is a number from 0 to 1");
  EXPECT_ERROR(layers::BatchNormalization({.axis = 3})(random_tensor({float32, {2, 2}})),
               InvalidArgumentError, "BatchNormalization: axis 3 is out of range");
  const layers::BatchNormalization layer({.axis = 1, .name = "b"});
  (void)layer(random_tensor({float32, {2, 3, 4}}));
  for (bool training : {false, true})
    EXPECT_ERROR(layer(random_tensor({float32, {2, 5, 4}}), {.training = training}),
                 InvalidArgumentError, "layer 'b' (BatchNormalization): ");
  EXPECT_ERROR(layer(random_tensor({float32, {2, 3}})), InvalidArgumentError,
               "layer 'b' (BatchNormalization): takes inputs of 3 dimensions");
}
