// Compiled training does what eager training does: at each of twenty states of a run, the same
// weights and the same batch give the same loss, gradients, moving averages and updates.
#include <gtest/gtest.h>

#include "tests/keras_models_test.h"
#include "tests/keras_training_test.h"

namespace alula::parity {
namespace {

namespace layers = keras::layers;

/// A bit of everything that behaves differently in training.
keras::Model mixed() {
  return keras::Sequential({
      keras::Input({.shape = {16, 16, 3}}),
      layers::Conv2D({.filters = 8, .kernel_size = 3, .padding = "same", .use_bias = false}),
      layers::BatchNormalization(),
      layers::Activation({.activation = "gelu"}),
      layers::AveragePooling2D({.pool_size = 2}),
      layers::Conv2D({.filters = 8,
                      .kernel_size = 5,
                      .strides = 2,
                      .activation = "relu",
                      .kernel_regularizer = keras::regularizers::L2(0.01)}),
      layers::Dropout({.rate = 0.3}),
      layers::Flatten(),
      layers::Dense({.units = 32, .activation = "tanh"}),
      layers::Dropout({.rate = 0.5, .seed = 5}),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
}

struct Case {
  const char* name;
  keras::Model (*make)();
  Shape input;
};

void PrintTo(const Case& model, std::ostream* out) { *out << model.name; }

const Case kCases[] = {{"mlp", &mlp, {100}},
                       {"mnist_cnn", &mnist_cnn, {28, 28, 1}},
                       {"resnet", &resnet, {28, 28, 1}},
                       {"mixed", &mixed, {16, 16, 3}}};

class CompiledTraining : public ::testing::TestWithParam<Case> {};

/// How far two tensors are apart, by the norm of the second.
double distance(const Tensor& a, const Tensor& b) {
  const std::vector<double> expected = testing::to_array(b).values;
  return apart(testing::to_array(a).values, expected) / (norm(expected) + 1e-12);
}

void expect_close(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance,
                  const char* what) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_LE(distance(a[i], b[i]), tolerance) << what << " " << i;
}

std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& variable : variables) values.push_back(variable.value());
  return values;
}

constexpr int kStates = 20;
constexpr int64_t kBatch = 6;

TEST_P(CompiledTraining, AgreesWithEagerAtEachState) {
  const keras::Model model = GetParam().make();
  const keras::Loss loss = keras::losses::SparseCategoricalCrossentropy();
  const auto step = [&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    Tensor value = loss(y, model(x, {.training = true}));
    for (const Tensor& penalty : model.losses()) value = value + penalty;
    std::vector<Tensor> results = tape.gradient(value, model.trainable_variables());
    results.push_back(value);
    return results;
  };
  const auto compiled = function(step);
  keras::CompileOptions options{.optimizer = keras::optimizers::SGD({.learning_rate = 0.05}),
                                .loss = "sparse_categorical_crossentropy",
                                .run_eagerly = true};
  for (int state = 0; state < kStates; ++state) {
    SCOPED_TRACE(state);
    const Tensor x = random::uniform(GetParam().input.with_inserted(0, kBatch));
    const Tensor y = random::uniform({kBatch}, {.maxval = 10, .dtype = int32});
    const std::vector<Tensor> start = model.get_weights();
    std::vector<Tensor> results[2], moved[2];
    for (bool eagerly : {true, false}) {
      model.set_weights(start);
      random::set_seed(state);
      results[eagerly] = eagerly ? step(x, y) : compiled(x, y);
      moved[eagerly] = model.get_weights();
    }
    expect_close(results[0], results[1], 1e-5, "gradient");
    expect_close(moved[0], moved[1], 1e-5, "moving average");
    model.set_weights(start);
    if (state == 0) model.compile(options);  // the run that the states are of
    model.train_on_batch(x, y);
  }
  EXPECT_EQ(compiled.trace_count(), 1u);
}

TEST_P(CompiledTraining, UpdatesAgreeAtEachState) {
  for (const char* optimizer : {"sgd", "adam"}) {
    SCOPED_TRACE(optimizer);
    const keras::Model models[2] = {GetParam().make(), GetParam().make()};
    models[1].set_weights(models[0].get_weights());
    for (bool eagerly : {true, false})
      models[eagerly].compile({.optimizer = optimizer,
                               .loss = "sparse_categorical_crossentropy",
                               .metrics = {"accuracy"},
                               .run_eagerly = eagerly});
    for (int state = 0; state < kStates; ++state) {
      SCOPED_TRACE(state);
      const Tensor x = random::uniform(GetParam().input.with_inserted(0, kBatch));
      const Tensor y = random::uniform({kBatch}, {.maxval = 10, .dtype = int32});
      keras::Logs logs[2];
      for (bool eagerly : {true, false}) {
        random::set_seed(state);
        logs[eagerly] = models[eagerly].train_on_batch(x, y);
      }
      EXPECT_NEAR(logs[0]["loss"], logs[1]["loss"], 1e-5 * logs[1]["loss"]);
      EXPECT_EQ(logs[0]["accuracy"], logs[1]["accuracy"]);
      const std::vector<Variable> a = models[0].weights(), b = models[1].weights();
      // Adam divides by the size of a gradient: where that is nothing, rounding is all there is.
      const double tolerance = optimizer == std::string("adam") ? 1e-4 : 1e-5;
      expect_close(values_of(a), values_of(b), tolerance, "weight");
      // Both go on from the same state.
      models[0].set_weights(models[1].get_weights());
      std::vector<Variable> kept = models[0].optimizer().variables();
      const std::vector<Variable> other = models[1].optimizer().variables();
      for (size_t i = 0; i < kept.size(); ++i) kept[i].assign(other[i].value());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CompiledTraining, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace alula::parity
