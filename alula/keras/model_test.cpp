#include "alula/keras/model.h"

#include <cstdio>

#include "alula/keras/input.h"
#include "alula/keras/layers.h"
#include "alula/keras/names.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

Sequential small_model() {
  return Sequential({layers::Dense({.units = 4, .activation = "relu", .input_shape = {3}}),
                     layers::Dense({.units = 2})});
}

Tensor some(const Shape& shape) { return random_tensor({float32, shape}); }

void expect_same(const Tensor& a, const Tensor& b) { expect_equal(a, to_array(b), b.dtype()); }

std::vector<std::string> names_of(const std::vector<Layer>& all) {
  std::vector<std::string> names;
  for (const Layer& layer : all) names.push_back(layer.name());
  return names;
}

class ModelTest : public ::testing::Test {
 protected:
  void SetUp() override { backend::clear_session(); }
};

}  // namespace

TEST_F(ModelTest, SequentialCallsOneLayerAfterAnother) {
  const Sequential model = small_model();
  EXPECT_TRUE(model.built());
  EXPECT_EQ(model.name(), "sequential");
  EXPECT_EQ(model.count_params(), 3 * 4 + 4 + 4 * 2 + 2);
  const Tensor x = some({5, 3});
  expect_same(model(x), model.layers()[1](model.layers()[0](x)));
  EXPECT_EQ(names_of(model.layers()), (std::vector<std::string>{"dense", "dense_1"}));
  EXPECT_EQ(small_model().name(), "sequential_1");
}

TEST_F(ModelTest, SequentialIsBuiltByItsFirstInput) {
  const Sequential model({layers::Dense({.units = 4})}, {.name = "late"});
  EXPECT_FALSE(model.built());
  EXPECT_EQ(model.weights().size(), 0u);
  EXPECT_EQ(model(some({2, 7})).shape(), (Shape{2, 4}));
  EXPECT_EQ(model.count_params(), 7 * 4 + 4);
  EXPECT_ERROR(model(some({2, 6})), InvalidArgumentError, "takes float32[?,7]. Got float32[2,6]");
}

TEST_F(ModelTest, SequentialGrowsAndShrinks) {
  const Sequential model;
  EXPECT_ERROR(model(some({1, 3})), InvalidArgumentError, "it has no layers yet");
  model.add(keras::Input({.shape = {3}}));
  model.add(layers::Dense({.units = 4}));
  EXPECT_TRUE(model.built());
  model.add(layers::Dense({.units = 5}));
  EXPECT_EQ(model(some({2, 3})).shape(), (Shape{2, 5}));
  model.pop();
  EXPECT_EQ(model(some({2, 3})).shape(), (Shape{2, 4}));
  EXPECT_ERROR(model.add(keras::Input({.shape = {3}})), InvalidArgumentError, "first item");
  EXPECT_ERROR(model.add(layers::Dense({.units = 5, .name = "dense"})), InvalidArgumentError,
               "a layer called 'dense' already");
  model.pop();
  EXPECT_ERROR(model.pop(), InvalidArgumentError, "no layer to take away");
}

TEST_F(ModelTest, InputsAreCastAndGivenTheirAxis) {
  const Sequential model(
      {layers::Flatten({.input_shape = {2, 2, 1}}), layers::Dense({.units = 1})});
  const Tensor x = some({3, 2, 2, 1});
  const Tensor y = model(x);
  expect_equal(model(cast(x, float64)), to_array(y), float32);
  expect_same(model(reshape(x, {3, 2, 2})), y);
  const Tensor bytes = cast(Tensor{{{1, 2}, {3, 4}}}, uint8);
  expect_same(model(bytes), model(cast(bytes, float32)));
}

TEST_F(ModelTest, FunctionalModelsBranchAndShare) {
  const Tensor a = keras::Input({.shape = {3}, .name = "a"});
  const Tensor b = keras::Input({.shape = {3}, .name = "b"});
  const layers::Dense shared({.units = 4, .name = "shared"});
  const Tensor sum = layers::Add()({shared(a), shared(b)});
  const Tensor out = layers::Dense({.units = 2, .name = "out"})(relu(sum) * 2);
  const Model model({.inputs = {a, b}, .outputs = {out, sum}, .name = "two"});

  EXPECT_EQ(names_of(model.layers()), (std::vector<std::string>{"a", "b", "shared", "add", "out"}));
  EXPECT_EQ(model.weights().size(), 4u);  // a shared layer counts once
  const Tensor x = some({5, 3}), y = some({5, 3});
  const std::vector<Tensor> results = model.call_all({x, y});
  const Tensor expected = shared(x) + shared(y);
  expect_same(results[1], expected);
  expect_same(results[0], model.get_layer("out")(relu(expected) * 2));
  EXPECT_ERROR(model(x), InvalidArgumentError, "takes 2 inputs. Got 1");
  EXPECT_ERROR(model.call_all({x, some({5, 4})}), InvalidArgumentError,
               "layer 'b' (InputLayer): takes float32[?,3]. Got float32[5,4]");
}

TEST_F(ModelTest, SeveralOutputsAreNotOne) {
  const Tensor x = keras::Input({.shape = {3}});
  const Model model({.inputs = x, .outputs = {relu(x), x * 2}});
  EXPECT_ERROR(model(some({5, 3})), InvalidArgumentError, "has 2 outputs. Use call_all()");
  EXPECT_ERROR(model(x), InvalidArgumentError, "has 2 outputs. Use call_all()");
  EXPECT_EQ(model.call_all({some({5, 3})}).size(), 2u);
}

/// As in fine-tuning: base(inputs, training=False) stays so while the model around it is trained.
TEST_F(ModelTest, CallsKeepWhetherTheyTrain) {
  const Tensor in = keras::Input({.shape = {100}});
  const layers::Dropout dropout({.rate = 0.5});
  const Model still({.inputs = in, .outputs = dropout(in, {.training = false})});
  const Model always({.inputs = in, .outputs = dropout(in, {.training = true})});
  const Model either({.inputs = in, .outputs = dropout(in)});
  const auto drops = [x = ones({1, 100})](const Model& model, bool training) {
    return reduce_any(model(x, {.training = training}) != x).item<bool>();
  };
  EXPECT_FALSE(drops(still, true));
  EXPECT_FALSE(drops(models::clone_model(still), true));
  EXPECT_TRUE(drops(always, false));
  EXPECT_TRUE(drops(either, true));
  EXPECT_FALSE(drops(either, false));
}

TEST_F(ModelTest, LossesCountOnceALayerAndOnceACall) {
  struct AddImpl : LayerImpl {
    Tensor call(const Tensor& x) override {
      add_loss(reduce_sum(x));
      return x;
    }
  };
  const LayerOf<AddImpl> adds;
  const layers::Dense dense({.units = 3, .kernel_regularizer = "l2"});
  const Tensor a = keras::Input({.shape = {3}}), b = keras::Input({.shape = {3}});
  const Model inner({.inputs = a, .outputs = adds(dense(a))});
  const Model model({.inputs = b, .outputs = dense(inner(adds(b)))});
  for (int i = 0; i < 2; ++i) {
    (void)model(some({2, 3}));
    EXPECT_EQ(model.losses().size(), 3u);  // two calls of `adds`, one weight that is penalised
  }
  (void)inner(some({2, 3}));
  EXPECT_EQ(inner.losses().size(), 2u);
}

TEST_F(ModelTest, FunctionalModelsNest) {
  const Tensor x = keras::Input({.shape = {3}});
  const Sequential inner = small_model();
  const Model model({.inputs = x, .outputs = layers::Dense({.units = 1})(inner(x))});
  const Tensor value = some({4, 3});
  expect_same(model(value), model.get_layer(-1)(inner(value)));
  EXPECT_EQ(model.weights().size(), 6u);
}

TEST_F(ModelTest, FunctionalModelsSayWhatIsWrong) {
  const Tensor x = keras::Input({.shape = {3}}),
               other = keras::Input({.shape = {3}, .name = "other"});
  EXPECT_ERROR(Model({.inputs = x, .outputs = layers::Dense({.units = 1})(other)}),
               InvalidArgumentError, "depends on the Input 'other'");
  EXPECT_ERROR(Model({.inputs = x, .outputs = some({1, 3})}), InvalidArgumentError,
               "must come from the inputs");
  EXPECT_ERROR(Model({.inputs = some({1, 3}), .outputs = x}), InvalidArgumentError,
               "an Input is wanted here");
  EXPECT_ERROR(Model({.inputs = {}, .outputs = x}), InvalidArgumentError,
               "needs inputs and outputs");
  EXPECT_ERROR(keras::Input({}), InvalidArgumentError, "the shape of one example");
  EXPECT_ERROR(x.item<float>(), FailedPreconditionError, "it is symbolic");
  const Tensor twice =
      layers::Dense({.units = 1, .name = "same"})(layers::Dense({.units = 1, .name = "same"})(x));
  EXPECT_ERROR(Model({.inputs = x, .outputs = twice}), InvalidArgumentError,
               "two of its layers are called 'same'");
}

namespace {

struct TwoLayersImpl : ModelImpl {
  layers::Dense hidden{{.units = 8, .activation = "relu"}}, out{{.units = 2}};
  bool saw_training = false;
  TwoLayersImpl() { track(hidden, out); }
  Tensor call(const Tensor& x) override {
    saw_training = training();
    return out(hidden(x));
  }
};
using TwoLayers = ModelOf<TwoLayersImpl>;

}  // namespace

TEST_F(ModelTest, SubclassedModels) {
  const TwoLayers model;
  EXPECT_EQ(model.name(), "two_layers");
  const Tensor x = some({6, 3});
  const Tensor y = model(x, {.training = true});
  EXPECT_TRUE(model->saw_training);
  expect_same(y, model->out(model->hidden(x)));
  EXPECT_FALSE((model(x), model->saw_training));
  EXPECT_EQ(model.trainable_variables().size(), 4u);
  EXPECT_EQ(model.impl().named_weights()[0].first, "dense/kernel");
}

TEST_F(ModelTest, FreezingReachesAllLayers) {
  const Sequential model = small_model();
  model.layers()[0].set_trainable(false);
  EXPECT_EQ(model.trainable_variables().size(), 2u);
  EXPECT_EQ(model.non_trainable_variables().size(), 2u);
  EXPECT_EQ(model.weights().size(), 4u);
  model.set_trainable(false);
  EXPECT_EQ(model.trainable_variables().size(), 0u);
  model.set_trainable(true);
  EXPECT_EQ(model.trainable_variables().size(), 4u);
}

TEST_F(ModelTest, WeightsAreSetAllOrNone) {
  const Sequential a = small_model(), b = small_model();
  const Tensor x = some({2, 3});
  b.set_weights(a.get_weights());
  expect_same(b(x), a(x));
  std::vector<Tensor> wrong = a.get_weights();
  wrong[0] = zeros({3, 4});
  wrong[3] = zeros({3});
  EXPECT_ERROR(b.set_weights(wrong), InvalidArgumentError, "weight 3 of 'sequential_1' (bias)");
  expect_same(b(x), a(x));
  wrong.pop_back();
  EXPECT_ERROR(b.set_weights(wrong), InvalidArgumentError, "has 4 weights. Got 3 values");
}

TEST_F(ModelTest, ClonesHaveTheSameLayersAndFreshWeights) {
  const Sequential model = small_model();
  const Sequential copy = models::clone_model(model);
  EXPECT_EQ(names_of(copy.layers()), names_of(model.layers()));
  EXPECT_EQ(copy.name(), model.name());
  EXPECT_TRUE(reduce_any(not_equal(copy.get_weights()[0], model.get_weights()[0])).item<bool>());
  copy.set_weights(model.get_weights());
  const Tensor x = some({2, 3});
  expect_same(copy(x), model(x));

  const Tensor in = keras::Input({.shape = {3}});
  const layers::Dense shared({.units = 3});
  const Model functional({.inputs = in, .outputs = shared(shared(in)) + in});
  const Model cloned = models::clone_model(functional);
  EXPECT_EQ(cloned.weights().size(), 2u);  // what was shared still is
  cloned.set_weights(functional.get_weights());
  expect_same(cloned(x), functional(x));
  EXPECT_ERROR(models::clone_model(TwoLayers()), UnimplementedError, "cannot be cloned");
}

TEST_F(ModelTest, LayersAreFoundByNameAndPlace) {
  const Sequential model = small_model();
  EXPECT_EQ(model.get_layer("dense_1").name(), "dense_1");
  EXPECT_EQ(model.get_layer(0).name(), "dense");
  EXPECT_EQ(model.get_layer(-1).name(), "dense_1");
  EXPECT_ERROR(model.get_layer("dens"), InvalidArgumentError, "\"dense\"");
  EXPECT_ERROR(model.get_layer(2), OutOfRangeError, "has 2 layers");
}

TEST_F(ModelTest, WeightsAreSavedAndLoaded) {
  const std::string path = ::testing::TempDir() + "/model_test.safetensors";
  const Sequential model = small_model(), other({layers::Dense({.units = 5, .input_shape = {3}})});
  const Tensor x = some({2, 3}), y = model(x);
  model.save_weights(path);
  std::vector<Tensor> zero;
  for (const Tensor& weight : model.get_weights()) zero.push_back(zeros_like(weight));
  model.set_weights(zero);
  model.load_weights(path);
  expect_same(model(x), y);
  EXPECT_ERROR(other.load_weights(path), InvalidArgumentError, "has no 'dense_2/kernel'");
  const Sequential second = small_model();  // the same, but its layers have other names
  second.load_weights(path);
  expect_same(second(x), y);
  const Sequential same_name({layers::Dense({.units = 5, .input_shape = {3}, .name = "dense"})});
  EXPECT_ERROR(same_name.load_weights(path), InvalidArgumentError,
               "'dense/kernel' is float32[3,4]");
  EXPECT_ERROR(Sequential({layers::Dense({.units = 5})}).save_weights(path),
               FailedPreconditionError, "is not built yet");
  std::remove(path.c_str());
  EXPECT_ERROR(model.load_weights(path), NotFoundError, "model_test.safetensors");
}
