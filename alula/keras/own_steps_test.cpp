#include "alula/autograd/tape.h"
#include "alula/keras/input.h"
#include "alula/keras/layers.h"
#include "alula/keras/optimizers/optimizers.h"
#include "alula/keras/trainer.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

Tensor some(const Shape& shape) { return random_tensor({float32, shape}); }

}  // namespace

TEST(OwnSteps, TakeThePlaceOfTheTrainers) {
  const Sequential model({layers::Dense({.units = 1, .input_shape = {2}})});
  int resets = 0;
  model.impl().own_steps.train = [&](const Batch& batch) -> OwnSteps::Measured {
    GradientTape tape;
    const Tensor loss = reduce_mean(square(model(batch.x[0]) - batch.y[0]));
    const std::vector<Variable> variables = model.trainable_variables();
    model.optimizer().apply(tape.gradient(loss, variables), variables);
    return {{"loss", loss}, {"twice", loss * 2.f}};
  };
  model.impl().own_steps.reset = [&] { ++resets; };
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  const Tensor x = some({16, 2}), y = some({16, 1});
  const History history = model.fit(x, y, {.epochs = 3, .verbose = 0});
  EXPECT_EQ(resets, 3);
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_NEAR(history["twice"][1], 2 * history["loss"][1], 1e-6);
  // The steps that are not its own stay the trainer's.
  EXPECT_EQ(model.evaluate(x, y, {.verbose = 0}).size(), 1u);
  model.impl().own_steps.predict = [&](const Batch& batch) -> std::vector<Tensor> {
    return {model(batch.x[0]) + 100.f};
  };
  model.impl().predictor.store(nullptr);
  EXPECT_GT(model.predict(x, {.verbose = 0}).to_vector<float>()[0], 50.f);
}

TEST(OwnSteps, MayUseTheTrainersLossAndMetrics) {
  const Sequential model({layers::Dense({.units = 1, .input_shape = {2}})});
  model.compile({.loss = "mse", .metrics = {"mae"}});
  const std::shared_ptr<Trainer> trainer = trainer_of(model, "test");
  const Tensor x = some({4, 2}), y = some({4, 1});
  const std::vector<Tensor> predictions{model(x)};
  const Batch batch{{x}, {y}};
  expect_equal(trainer->compute_loss(batch, predictions),
               to_array(reduce_mean(square(predictions[0] - y))), float32);
  trainer->update_metrics(batch, predictions);
  ASSERT_EQ(trainer->metrics().size(), 2u);
  EXPECT_EQ(trainer->metrics()[1].first, "mae");
  EXPECT_NEAR(trainer->metrics()[1].second.result().item<float>(),
              reduce_mean(alula::abs(predictions[0] - y)).item<float>(), 1e-6);
}

TEST(NotedCalls, ALayerKnowsItsFirstOneAsLongAsItMatters) {
  const layers::Dense dense({.units = 3});
  EXPECT_TRUE(dense.impl().noted_outputs().empty());
  {
    const Tensor x = keras::Input({.shape = {2}});
    const Tensor y = dense(x);
    EXPECT_EQ(dense.impl().noted_outputs().at(0).shape(), (Shape{kUnknown, 3}));
    const Model part({.inputs = x, .outputs = dense.impl().noted_outputs()});
    const Tensor input = some({4, 2});
    expect_equal(part(input), to_array(dense(input)), float32);
    EXPECT_EQ(dense.impl().noted_inputs().at(0).shape(), (Shape{kUnknown, 2}));
    dense(keras::Input({.shape = {2}, .batch_size = 7}));
    EXPECT_EQ(dense.impl().noted_outputs().at(0).shape(), (Shape{kUnknown, 3}));
  }
  EXPECT_TRUE(dense.impl().noted_outputs().empty());  // nothing holds the call any more

  const Sequential model({layers::Dense({.units = 2, .input_shape = {2}}), dense});
  const auto& impl = static_cast<const SequentialImpl&>(model.impl());
  EXPECT_EQ(impl.output().shape(), (Shape{kUnknown, 3}));
  const Model first({.inputs = impl.input(), .outputs = model.layers()[0].impl().noted_outputs()});
  EXPECT_EQ(first(some({5, 2})).shape(), (Shape{5, 2}));
  model.pop();
  EXPECT_EQ(impl.output().shape(), (Shape{kUnknown, 2}));
}
