#include "alula/keras/layer.h"

#include "alula/keras/input.h"
#include "alula/keras/layers/dense.h"
#include "alula/keras/layers/dropout.h"
#include "alula/keras/names.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

/// A layer of a user's own.
struct ScaleImpl : LayerImpl {
  void build(const Shape& input) override {
    s = add_weight({.name = "s", .shape = {input.back()}, .initializer = "ones"});
    seen = add_weight({.name = "seen", .shape = {}, .initializer = "zeros", .trainable = false});
  }
  Tensor call(const Tensor& x) override {
    if (training()) add_loss(reduce_sum(x));
    return x * s.value();
  }
  Variable s, seen;
};
using Scale = LayerOf<ScaleImpl>;

/// Layers within a layer.
struct BlockImpl : LayerImpl {
  BlockImpl() { track(first, second, dropout); }
  Tensor call(const Tensor& x) override { return dropout(second(first(x))); }
  layers::Dense first{{.units = 4, .kernel_regularizer = "l2"}}, second{{.units = 2}};
  layers::Dropout dropout{{.rate = 0.5}};
};
using Block = LayerOf<BlockImpl>;

}  // namespace

TEST(Layer, IsWrittenByOverriding) {
  backend::clear_session();
  const Scale scale;
  EXPECT_EQ(scale.name(), "scale");
  EXPECT_FALSE(scale.built());
  const Tensor x = {{1.F, 2.F}};
  expect_equal(scale(x), {{1, 2}, {1, 2}}, float32);
  EXPECT_TRUE(scale.built());
  ASSERT_EQ(scale.weights().size(), 2);
  EXPECT_EQ(scale.weights()[0].name(), "s");
  EXPECT_EQ(scale.trainable_variables().size(), 1);
  EXPECT_EQ(scale.non_trainable_variables()[0].name(), "seen");
  EXPECT_EQ(scale.count_params(), 3);
  scale->s.assign({3.F, 4.F});
  expect_equal(scale(x), {{1, 2}, {3, 8}}, float32);
}

TEST(Layer, AddsLossesOfTheLastCall) {
  const Scale scale;
  const Tensor x = {{1.F, 2.F}};
  (void)scale(x, {.training = true});
  (void)scale(x, {.training = true});
  ASSERT_EQ(scale.losses().size(), 1);
  EXPECT_EQ(scale.losses()[0].item<float>(), 3);
  (void)scale(x);
  EXPECT_TRUE(scale.losses().empty());
}

TEST(Layer, HoldsOtherLayers) {
  backend::clear_session();
  const Block block;
  const Tensor x = random_tensor({float32, {5, 3}});
  EXPECT_EQ(to_string(block(x).spec()), "float32[5,2]");
  EXPECT_EQ(block.weights().size(), 4);
  EXPECT_EQ(block.count_params(), 3 * 4 + 4 + 4 * 2 + 2);
  EXPECT_EQ(block.losses().size(), 1);
  EXPECT_EQ(block->named_weights()[2].first, "dense_1/kernel");
  block.set_trainable(false);
  EXPECT_TRUE(block.trainable_variables().empty());
  EXPECT_FALSE(block->first.trainable());
}

/// Inner layers are in training when the outer one is.
TEST(Layer, HandsOnTraining) {
  const Block block;
  const Tensor x = random_tensor({float32, {50, 3}});
  const auto zeros = [&](bool training) {
    int count = 0;
    for (float value : block(x, {.training = training}).to_vector<float>()) count += value == 0;
    return count;
  };
  EXPECT_EQ(zeros(false), 0);
  EXPECT_GT(zeros(true), 20);
}

TEST(Layer, SetsWeightsAllOrNone) {
  const layers::Dense dense({.units = 2, .name = "d"});
  EXPECT_ERROR(dense.set_weights({{1.F}}), InvalidArgumentError,
               "set_weights: 'd' has 0 weights. Got 1 values. It is not built yet");
  dense.build({kUnknown, 3});
  const std::vector<Tensor> before = dense.get_weights();
  EXPECT_ERROR(dense.set_weights({random_tensor({float32, {3, 2}}), {1.F}}), InvalidArgumentError,
               "set_weights: weight 1 of 'd' (bias) is float32[2]. Got float32[1].");
  expect_equal(dense.get_weights()[0], to_array(before[0]), float32);
  dense.set_weights({random_tensor({float64, {3, 2}}), {1.F, 2.F}});
  expect_equal(dense.get_weights()[1], {{2}, {1, 2}}, float32);
}

TEST(Layer, CopiesAreTheSame) {
  const layers::Dense dense({.units = 2});
  const Layer same = dense;
  (void)same(random_tensor({float32, {1, 3}}));
  EXPECT_TRUE(dense.built());
  EXPECT_TRUE(dense.weights()[0].same_as(same.weights()[0]));
}

TEST(Layer, SaysWhatIsWrong) {
  EXPECT_ERROR(Layer().name(), FailedPreconditionError, "it is not defined yet");
  struct EmptyImpl : LayerImpl {};
  EXPECT_ERROR(LayerOf<EmptyImpl>()({1.F}), UnimplementedError, "Override call()");
  EXPECT_ERROR(Scale().impl().copy(), UnimplementedError, "it cannot be cloned");
  EXPECT_ERROR(layers::Dense({.units = 2, .name = "d"})(Tensor()), InvalidArgumentError,
               "not defined");
  EXPECT_ERROR(layers::Dense({.units = 2, .name = "d"})(Input({.shape = {kUnknown}})),
               InvalidArgumentError, "depends on a dimension of the input that is not known");
  const Tensor x = {{1.F}};
  EXPECT_ERROR(layers::Dense({.units = 2, .name = "d"})({x, x}), InvalidArgumentError,
               "layer 'd' (Dense): takes one input. Got 2.");
}
