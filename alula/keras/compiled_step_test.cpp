// Steps run compiled as they do eagerly: each case trains two copies of a model, one each way.
#include "alula/keras/compiled_step.h"

#include <thread>

#include "alula/keras/batch.h"
#include "alula/keras/compiled_step_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

/// Trains a copy of a model each way, from the same weights and the same seed, and compares.
/// `make` makes the model.
template <class Make>
void compare(const Make& make, int steps = 4) {
  const Samples samples;
  std::vector<Tensor> start;
  std::vector<Logs> logs[2];
  std::vector<Tensor> weights[2];
  for (bool eagerly : {true, false}) {
    const Model model = make();
    random::set_seed(7);
    model.compile(classify(eagerly));
    Said said;
    if (model.built() && start.empty()) start = model.get_weights();
    if (!start.empty()) model.set_weights(start);
    for (int i = 0; i < steps; ++i)
      logs[eagerly].push_back(model.train_on_batch(samples.x, samples.y));
    logs[eagerly].push_back(model.test_on_batch(samples.x, samples.y));
    weights[eagerly] = model.get_weights();
    weights[eagerly].push_back(model.predict_on_batch(samples.x));
    EXPECT_TRUE(said.texts.empty()) << said.texts[0];
    EXPECT_EQ(traces_of(model), eagerly ? 0u : 2u);
  }
  expect_same(weights[0], weights[1]);
  for (size_t i = 0; i < logs[0].size(); ++i) expect_same(logs[0][i], logs[1][i]);
}

}  // namespace

TEST(CompiledStep, IsTracedOnceForEachKindOfBatch) {
  const Samples samples;
  const Sequential model = small_model();
  model.compile(classify(false));
  Said said;
  model.fit(samples.x, samples.y, {.batch_size = 4, .epochs = 5, .verbose = 0});
  EXPECT_EQ(traces_of(model), 2u);  // batches of 4, and one of 2
  model.evaluate(samples.x, samples.y, {.batch_size = 5, .verbose = 0});
  EXPECT_EQ(traces_of(model), 3u);
  model.evaluate(samples.x, samples.y,
                 {.batch_size = 5, .verbose = 0, .sample_weight = ones({10})});
  EXPECT_EQ(traces_of(model), 4u);
  EXPECT_TRUE(said.texts.empty()) << said.texts[0];
  model.compile(classify(true));
  model.fit(samples.x, samples.y, {.batch_size = 4, .verbose = 0});
  EXPECT_EQ(traces_of(model), 0u);
}

TEST(CompiledStep, DoesWhatAnEagerOneDoes) { compare(small_model); }

TEST(CompiledStep, DrawsTheNumbersOfAnEagerOne) {
  compare([] {
    return Sequential({layers::Dense({.units = 16, .activation = "relu", .input_shape = {6}}),
                       layers::Dropout({.rate = 0.5}),
                       layers::Dense({.units = 3, .activation = "softmax"})});
  });
  compare([] {
    return Sequential({layers::Dropout({.rate = 0.5, .seed = 3, .input_shape = {6}}),
                       layers::Dense({.units = 3, .activation = "softmax"})});
  });
  // Not in the order in which they are called, but that is the order that counts.
  compare([] {
    const Tensor x = keras::Input({.shape = {6}});
    const Tensor a = layers::Dropout({.rate = 0.5})(x), b = layers::Dropout({.rate = 0.3})(x);
    return Model({.inputs = x,
                  .outputs = layers::Dense({.units = 3, .activation = "softmax"})(
                      layers::Subtract()({b, a}))});
  });
}

namespace {

struct LazyImpl : ModelImpl {
  layers::Dense first{{.units = 8, .activation = "relu"}},
      last{{.units = 3, .activation = "softmax"}};
  layers::Dropout dropout{{.rate = 0.5}};
  LazyImpl() { track(first, dropout, last); }
  Tensor call(const Tensor& x) override { return last(dropout(first(x))); }
};
using Lazy = ModelOf<LazyImpl>;

}  // namespace

TEST(CompiledStep, MakesWeightsOutsideOfATrace) {
  compare([]() -> Model { return Lazy(); });
  compare([]() -> Model {
    return Sequential({layers::Dense({.units = 8}), layers::Dropout({.rate = 0.5}),
                       layers::Dense({.units = 3, .activation = "softmax"})});
  });
}

TEST(CompiledStep, MovesAverages) {
  compare([] {
    return Sequential({layers::Dense({.units = 16, .input_shape = {6}}),
                       layers::BatchNormalization({.momentum = 0.5}),
                       layers::Dense({.units = 3, .activation = "softmax"})});
  });
}

namespace {

/// Adds the mean of the squares of its input to the loss.
struct ActivityImpl : LayerImpl {
  Tensor call(const Tensor& x) override {
    add_loss(reduce_mean(square(x)));
    return x;
  }
};
using Activity = LayerOf<ActivityImpl>;

}  // namespace

TEST(CompiledStep, LearnsFromPenalties) {
  const auto make = [] {
    return Sequential({layers::Dense({.units = 8,
                                      .kernel_regularizer = regularizers::L2(0.1),
                                      .bias_regularizer = regularizers::L1(0.1),
                                      .input_shape = {6}}),
                       Activity(), layers::Dense({.units = 3, .activation = "softmax"})});
  };
  compare(make);
  const Samples samples;
  const Sequential model = make();
  model.compile(classify(false));
  model.train_on_batch(samples.x, samples.y);
  for (const Tensor& loss : model.losses()) EXPECT_FALSE(loss.is_symbolic());
  model(samples.x);
  EXPECT_EQ(model.losses().size(), 3u);
}

TEST(CompiledStep, FollowsWhatIsFrozen) {
  const Samples samples;
  const Sequential model = small_model();
  model.compile(classify(false));
  model.train_on_batch(samples.x, samples.y);
  const auto changed_by_a_step = [&] {
    const std::vector<Tensor> before = model.get_weights();
    model.train_on_batch(samples.x, samples.y);
    std::vector<bool> changed;
    for (size_t i = 0; i < before.size(); ++i)
      changed.push_back(before[i].to_vector<float>() != model.get_weights()[i].to_vector<float>());
    return changed;
  };
  const std::vector<bool> all(4, true), some = {false, false, true, true};
  EXPECT_EQ(changed_by_a_step(), all);
  EXPECT_EQ(traces_of(model), 1u);
  model.get_layer(0).set_trainable(false);
  EXPECT_EQ(changed_by_a_step(), some);
  model.get_layer(0).set_trainable(true);
  EXPECT_EQ(changed_by_a_step(), all);
  EXPECT_EQ(traces_of(model), 2u);  // that of before was kept
  model.weights()[3].set_trainable(false);
  EXPECT_EQ(changed_by_a_step(), (std::vector<bool>{true, true, true, false}));

  const Sequential normal({layers::BatchNormalization({.scale = false, .input_shape = {6}}),
                           layers::Dense({.units = 3, .activation = "softmax"})});
  normal.compile(classify(false));
  normal.train_on_batch(samples.x, samples.y);
  normal.get_layer(0).set_trainable(false);
  const std::vector<Tensor> before = normal.get_weights();
  normal.train_on_batch(samples.x, samples.y);
  for (size_t i = 0; i < 3; ++i) expect_same(normal.get_weights()[i], before[i]);
}

TEST(CompiledStep, FollowsWhichLayersThereAre) {
  const Samples samples;
  const Sequential model(
      {layers::Dense({.units = 3, .input_shape = {6}}), layers::Rescaling({.scale = 2.0})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor y = zeros({10, 3});
  const double loss = model.test_on_batch(samples.x, y)["loss"];
  for (double scale : {1.0, 3.0, 0.5}) {
    model.pop();
    model.add(layers::Rescaling({.scale = scale}));
    EXPECT_NEAR(model.test_on_batch(samples.x, y)["loss"] / loss, scale * scale / 4, 1e-4);
    expect_same(model.predict_on_batch(samples.x), model(samples.x), 1e-5);
  }
}

TEST(CompiledStep, TakesTheRateOfTheMoment) {
  const Samples samples;
  const Sequential model = small_model();
  model.compile(classify(false));
  model.train_on_batch(samples.x, samples.y);
  model.optimizer().set_learning_rate(0);
  const std::vector<Tensor> before = model.get_weights();
  model.train_on_batch(samples.x, samples.y);
  expect_same(model.get_weights(), before);
  EXPECT_EQ(model.optimizer().iterations().value().item<int64_t>(), 2);
  EXPECT_EQ(traces_of(model), 1u);
}

TEST(CompiledStep, TakesTheWeightsOfTheMoment) {
  const Samples samples;
  const Sequential model = small_model(), other = small_model();
  model.compile(classify(false));
  other.compile(classify(true));
  model.train_on_batch(samples.x, samples.y);
  model.set_weights(other.get_weights());
  expect_same(model.train_on_batch(samples.x, samples.y),
              other.train_on_batch(samples.x, samples.y));
  expect_same(model.get_weights(), other.get_weights());
  model.predict_on_batch(samples.x);
  model.set_weights(small_model().get_weights());
  expect_same(model.predict_on_batch(samples.x), model(samples.x), 1e-5);
}

TEST(CompiledStep, SharedLayersLearnFromBothModels) {
  const Samples samples;
  std::vector<Tensor> start, results[2];
  for (bool eagerly : {true, false}) {
    const layers::Dense shared({.units = 4, .input_shape = {6}});
    const Sequential one({shared, layers::Dense({.units = 3, .activation = "softmax"})});
    const Sequential two({shared, layers::Dense({.units = 3, .activation = "softmax"})});
    if (start.empty()) {
      start = one.get_weights();
      for (const Tensor& value : two.get_weights()) start.push_back(value);
    }
    one.set_weights({start.begin(), start.begin() + 4});
    two.set_weights({start.begin() + 4, start.end()});
    one.compile(classify(eagerly));
    two.compile(classify(eagerly, "adam"));
    for (int i = 0; i < 5; ++i) {
      one.train_on_batch(samples.x, samples.y);
      two.train_on_batch(samples.x, samples.y);
    }
    results[eagerly] = one.get_weights();
    for (const Tensor& value : two.get_weights()) results[eagerly].push_back(value);
  }
  expect_same(results[0], results[1]);
}

TEST(CompiledStep, AFailedOneChangesNothing) {
  const Samples samples;
  for (const char* optimizer : {"adam", "nadam", "sgd"}) {
    const Sequential model({layers::Dense({.units = 4, .input_shape = {6}}),
                            layers::BatchNormalization(),
                            layers::Dense({.units = 3, .activation = "softmax"})});
    model.compile(classify(false, optimizer));
    model.train_on_batch(samples.x, samples.y);
    const std::vector<Tensor> weights = model.get_weights(),
                              kept = values_of(model.optimizer().variables());
    Trainer& trainer = *model.impl().trainer;
    const Logs logs = trainer.logs();
    EXPECT_ERROR(trainer.train_step({{samples.x}, {samples.y + 1}, {}}), InvalidArgumentError,
                 "class");
    expect_same(model.get_weights(), weights);
    expect_same(values_of(model.optimizer().variables()), kept);
    expect_same(trainer.logs(), logs);
    model.train_on_batch(samples.x, samples.y);
  }
}

TEST(CompiledStep, RunsEagerlyIfValuesAreLookedAt) {
  const Samples samples;
  int looks = 0;
  const auto loss = [&](const Tensor& y_true, const Tensor& y_pred) {
    const Tensor values = losses::sparse_categorical_crossentropy(y_true, y_pred);
    if (values.to_vector<float>().size() == 10) ++looks;
    return values;
  };
  const Sequential model = small_model(), other = small_model();
  other.set_weights(model.get_weights());
  other.compile(classify(true));
  Said said;
  CompileOptions options = classify(false);
  options.loss = loss;
  model.compile(options);
  for (int i = 0; i < 3; ++i) {
    model.train_on_batch(samples.x, samples.y);
    other.train_on_batch(samples.x, samples.y);
  }
  EXPECT_EQ(looks, 3);
  ASSERT_EQ(said.texts.size(), 1u);
  EXPECT_TRUE(said.texts[0].starts_with("the training step of the model 'sequential"))
      << said.texts[0];
  EXPECT_NE(said.texts[0].find("it is symbolic"), std::string::npos) << said.texts[0];
  EXPECT_NE(said.texts[0].find("run_eagerly"), std::string::npos) << said.texts[0];
  expect_same(model.get_weights(), other.get_weights());
  EXPECT_EQ(traces_of(model), 0u);

  said.texts.clear();
  options.run_eagerly = true;
  model.compile(options);
  model.train_on_batch(samples.x, samples.y);
  EXPECT_EQ(looks, 4);
  EXPECT_TRUE(said.texts.empty());
}

namespace {

/// Scales by what it finds in its input.
struct PeekingImpl : LayerImpl {
  Tensor call(const Tensor& x) override {
    return is_only_described(x) ? x : x / (1 + std::abs(x.to_vector<float>()[0]));
  }
};
using Peeking = LayerOf<PeekingImpl>;

}  // namespace

TEST(CompiledStep, ALayerMayLookAtValues) {
  const Samples samples;
  const Sequential model({keras::Input({.shape = {6}}), Peeking(),
                          layers::Dense({.units = 3, .activation = "softmax"})});
  Said said;
  expect_same(model.predict(samples.x, {.verbose = 0}), model(samples.x));
  ASSERT_EQ(said.texts.size(), 1u);
  EXPECT_TRUE(said.texts[0].starts_with("predict of the model ")) << said.texts[0];
}

TEST(CompiledStep, SaysWhatAnEagerOneSays) {
  const Samples samples;
  for (bool eagerly : {true, false}) {
    const Sequential model = small_model();
    CompileOptions options = classify(eagerly);
    model.compile(options);
    EXPECT_ERROR(model.train_on_batch(ones({10, 7}), samples.y), InvalidArgumentError,
                 "takes float32[?,6]. Got float32[10,7]");
    EXPECT_ERROR(model.train_on_batch(samples.x, {}), InvalidArgumentError, "y is missing");
    options.loss = {};
    model.compile(options);
    EXPECT_ERROR(model.train_on_batch(samples.x, samples.y), FailedPreconditionError,
                 "no loss was given");
  }
}

TEST(CompiledStep, SeveralInARow) {
  struct Told : Callback {
    std::string text;
    void on_train_batch_begin(int64_t batch) override { text += fmt::format("<{} ", batch); }
    void on_train_batch_end(int64_t batch, const Logs&) override {
      text += fmt::format("{}> ", batch);
    }
    void on_test_batch_end(int64_t batch, const Logs&) override {
      text += fmt::format("test {} ", batch);
    }
    void on_predict_batch_end(int64_t batch) override { text += fmt::format("predict {} ", batch); }
  };
  const Samples samples;
  const Sequential model = small_model(), other = small_model();
  other.set_weights(model.get_weights());
  CompileOptions options = classify(false);
  other.compile(options);
  other.fit(samples.x, samples.y, {.batch_size = 2, .verbose = 0, .shuffle = false});
  options = classify(false);
  options.steps_per_execution = 3;
  model.compile(options);
  Told told;
  model.fit(samples.x, samples.y,
            {.batch_size = 2, .verbose = 0, .callbacks = {&told}, .shuffle = false});
  EXPECT_EQ(told.text, "<0 2> <3 4> ");
  expect_same(model.get_weights(), other.get_weights());
  told.text.clear();
  model.evaluate(samples.x, samples.y, {.batch_size = 2, .verbose = 0, .callbacks = {&told}});
  EXPECT_EQ(told.text, "test 2 test 4 ");
  told.text.clear();
  const Tensor all =
      model.predict(samples.x, {.batch_size = 2, .verbose = 0, .callbacks = {&told}});
  EXPECT_EQ(told.text, "predict 2 predict 4 ");
  expect_same(all, model(samples.x), 1e-5);
}

TEST(CompiledStep, PredictsInSeveralThreads) {
  const Samples samples;
  const Sequential model = small_model();
  const Tensor expected = model(samples.x);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Tensor got = model.predict(samples.x, {.batch_size = 4 + t % 2, .verbose = 0});
        if (reduce_max(square(got - expected)).item<float>() > 1e-10f) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CompiledStep, StaysWithTheDeviceOfTheWeights) {
  const Samples samples;
  for (const Device& device : test_devices()) {
    if (device.is_cpu()) continue;
    const Sequential model = small_model();
    for (const Variable& weight : model.weights()) weight.storage() = weight.value().to(device);
    model.compile(classify(false));
    model.train_on_batch(samples.x, samples.y);
    EXPECT_EQ(traces_of(model), 1u);
    for (const Variable& weight : model.weights()) EXPECT_EQ(weight.device(), device);
    EXPECT_EQ(model.predict_on_batch(samples.x).device(), device);
  }
}

TEST(CompiledStep, ATracedStepIsPartOfWhatIsAroundIt) {
  const Samples samples;
  const Sequential model = small_model();
  const auto f = function([&](const Tensor& x) { return model.predict_on_batch(x) + 1; });
  expect_same(f(samples.x), model(samples.x) + 1, 1e-5);
}
