#include "alula/keras/fit.h"

#include <cmath>
#include <csignal>
#include <limits>

#include "alula/core/log.h"
#include "alula/keras/batch.h"
#include "alula/keras/input.h"
#include "alula/keras/layers.h"
#include "alula/keras/losses/losses.h"
#include "alula/keras/metrics/metrics.h"
#include "alula/keras/optimizers/optimizers.h"
#include "alula/keras/output.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

/// Keeps what is printed.
class Captured final : public Output {
 public:
  Captured() : before_(set_output(this)) {}
  ~Captured() override { set_output(before_); }
  void write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  Output* before_;
  std::string text_;
};

void expect_same(const Tensor& a, const Tensor& b) { expect_equal(a, to_array(b), b.dtype()); }

/// y = x w, which a Dense layer can learn exactly.
struct Problem {
  Tensor x = random_tensor({float32, {64, 3}});
  Tensor y = matmul(x, Tensor{{1.f}, {-2.f}, {0.5f}});
};

Sequential linear_model(bool eagerly = false) {
  const Sequential model(
      {layers::Dense({.units = 1, .kernel_initializer = "zeros", .input_shape = {3}})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .loss = "mse",
                 .metrics = {"mae"},
                 .run_eagerly = eagerly});
  return model;
}

/// What must be the same eagerly and compiled.
class FitBothWays : public ::testing::TestWithParam<bool> {
 protected:
  const bool eagerly = GetParam();
};
INSTANTIATE_TEST_SUITE_P(, FitBothWays, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "Eagerly" : "Compiled");
});

/// Counts what it is told, and does something at a step.
struct Script : Callback {
  std::vector<std::string> told;
  std::function<void(int64_t)> at_step;
  std::function<void(int64_t)> at_epoch;
  void on_train_begin() override { told.emplace_back("train"); }
  void on_train_end(const Logs&) override { told.emplace_back("end"); }
  void on_epoch_begin(int64_t epoch) override { told.push_back(fmt::format("epoch {}", epoch)); }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    told.push_back(fmt::format("epoch {} done, {} logs", epoch, logs.size()));
    if (at_epoch) at_epoch(epoch);
  }
  void on_train_batch_end(int64_t batch, const Logs&) override {
    told.push_back(fmt::format("batch {}", batch));
    if (at_step) at_step(batch);
  }
  void on_test_begin() override { told.emplace_back("test"); }
};

}  // namespace

TEST_P(FitBothWays, Learns) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  const History history =
      model.fit(problem.x, problem.y, {.batch_size = 16, .epochs = 60, .verbose = 0});
  EXPECT_EQ(history.epoch.size(), 60u);
  EXPECT_EQ(history.history[0].first, "loss");
  EXPECT_EQ(history.history[1].first, "mae");
  EXPECT_LT(history["loss"].back(), 1e-4);
  EXPECT_LT(history["loss"].back(), history["loss"].front() / 100);
  EXPECT_NEAR(model.get_weights()[0].span<float>()[1], -2, 0.02);
  const Logs logs = model.evaluate(problem.x, problem.y, {.verbose = 0});
  EXPECT_LT(logs["mae"], 0.02);
  EXPECT_ERROR(logs["acc"], NotFoundError, "There are: loss, mae");
  const Tensor predicted = model.predict(problem.x, {.batch_size = 10, .verbose = 0});
  expect_equal(predicted, to_array(model(problem.x)), float32);
}

TEST(Fit, NeedsCompile) {
  const Problem problem;
  const Sequential model({layers::Dense({.units = 1})});
  EXPECT_ERROR(model.fit(problem.x, problem.y), FailedPreconditionError, "is not compiled");
  EXPECT_ERROR(model.evaluate(problem.x, problem.y), FailedPreconditionError, "is not compiled");
  EXPECT_ERROR(model.compile({.optimizer = "adamm"}), InvalidArgumentError,
               "Did you mean \"adam\"");
  EXPECT_ERROR(model.compile({.loss = "msee"}), InvalidArgumentError, "\"mse\"");
  EXPECT_ERROR(model.compile({.metrics = {"acuracy"}}), InvalidArgumentError, "\"accuracy\"");
  EXPECT_ERROR(model.compile({.jit_compile = "yes"}), InvalidArgumentError, "Got \"yes\"");
  model.compile({.optimizer = "sgd"});
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.verbose = 0}), FailedPreconditionError,
               "no loss was given");
}

TEST(Fit, ChecksItsArguments) {
  const Problem problem;
  const Sequential model = linear_model();
  EXPECT_ERROR(model.fit(problem.x, zeros({63, 1}), {.verbose = 0}), InvalidArgumentError,
               "the same number of samples, 64. Got float32[63,1]");
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.batch_size = 0}), InvalidArgumentError,
               "batch size must be positive");
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.epochs = 0}), InvalidArgumentError, "epochs");
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.validation_split = 1}), InvalidArgumentError,
               "validation_split");
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.verbose = 3}), InvalidArgumentError, "verbose");
  EXPECT_ERROR(model.fit(zeros({64, 4}), problem.y, {.verbose = 0}), InvalidArgumentError,
               "takes float32[?,3]. Got float32[32,4]");
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.verbose = 0, .steps_per_epoch = 0}),
               InvalidArgumentError, "steps must be positive");
}

TEST_P(FitBothWays, ValidationSplitTakesTheLastSamples) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  // The last quarter is of another world: only validation sees it.
  const Tensor y = concat({slice(problem.y, {0, 0}, {48, 1}), ones({16, 1}) * 100}, 0);
  const History history = model.fit(
      problem.x, y, {.batch_size = 8, .epochs = 30, .verbose = 0, .validation_split = 0.25});
  EXPECT_LT(history["loss"].back(), 0.01);
  EXPECT_GT(history["val_loss"].back(), 1000);
  EXPECT_EQ(history.history[2].first, "val_loss");
}

TEST_P(FitBothWays, ValidationDataAndFrequency) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  Script script;
  const History history = model.fit(problem.x, problem.y,
                                    {.batch_size = 32,
                                     .epochs = 4,
                                     .verbose = 0,
                                     .callbacks = {&script},
                                     .validation_data = {problem.x, problem.y},
                                     .validation_freq = 2});
  EXPECT_EQ(history["val_loss"].size(), 2u);
  EXPECT_EQ(std::count(script.told.begin(), script.told.end(), "test"), 2);
}

TEST_P(FitBothWays, CallbacksAreToldInOrder) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  Script script;
  script.at_epoch = [&](int64_t epoch) {
    if (epoch == 1) model.set_stop_training(true);
  };
  model.fit(problem.x, problem.y,
            {.batch_size = 32, .epochs = 9, .verbose = 0, .callbacks = {&script}});
  EXPECT_EQ(script.told, (std::vector<std::string>{"train", "epoch 0", "batch 0", "batch 1",
                                                   "epoch 0 done, 2 logs", "epoch 1", "batch 0",
                                                   "batch 1", "epoch 1 done, 2 logs", "end"}));
}

TEST_P(FitBothWays, AThrowingCallbackLeavesTheLastFullStep) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  Script script;
  std::vector<Tensor> weights;
  script.at_step = [&](int64_t batch) {
    if (batch != 1) return;
    weights = model.get_weights();
    throw std::runtime_error("enough");
  };
  Captured captured;
  EXPECT_THROW(model.fit(problem.x, problem.y, {.batch_size = 16, .callbacks = {&script}}),
               std::runtime_error);
  expect_equal(model.get_weights()[0], to_array(weights[0]), float32);
  model.fit(problem.x, problem.y, {.verbose = 0});  // it can go on
}

namespace {

/// Gives two batches, then fails.
data::Dataset failing(const Problem& problem) {
  const auto make = [&problem] {
    return [&problem, count = 0](data::Element& batch) mutable {
      if (++count == 3) throw std::runtime_error("the disk is gone");
      batch = {problem.x, problem.y};
      return true;
    };
  };
  return data::Dataset::from_generator(make, data::Element{problem.x, problem.y}.spec());
}

}  // namespace

TEST_P(FitBothWays, AThrowingSourceLeavesTheLastFullStep) {
  const Problem problem;
  const Sequential model = linear_model(eagerly), other = linear_model(eagerly);
  EXPECT_ERROR(model.fit(failing(problem), {.verbose = 0}), UnknownError,
               "from_generator (step 1): element 2: the disk is gone");
  for (int i = 0; i < 2; ++i) other.train_on_batch(problem.x, problem.y);
  expect_equal(model.get_weights()[0], to_array(other.get_weights()[0]), float32);
}

TEST_P(FitBothWays, TakesADataSetInPlaceOfArrays) {
  const Problem problem;
  const Sequential model = linear_model(eagerly), other = linear_model(eagerly);
  const auto pairs = data::Dataset::from_tensor_slices({problem.x, problem.y});
  const FitOptions twice{.batch_size = 16, .epochs = 2, .verbose = 0, .shuffle = false};
  const History a = model.fit(problem.x, problem.y, twice);
  const History b = other.fit(pairs.batch(16).prefetch(2), {.epochs = 2, .verbose = 0});
  EXPECT_EQ(a["loss"], b["loss"]);
  expect_equal(model.get_weights()[0], to_array(other.get_weights()[0]), float32);
  EXPECT_EQ(model.evaluate(problem.x, problem.y, {.verbose = 0})["loss"],
            other.evaluate(pairs.batch(32), {.verbose = 0})["loss"]);
  expect_equal(model.predict(problem.x, {.verbose = 0}),
               to_array(other.predict(pairs.batch(32), {.verbose = 0})), float32);
}

TEST_P(FitBothWays, ADataSetWithoutEndNeedsANumberOfSteps) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  const auto endless = data::Dataset::from_tensors({problem.x, problem.y}).repeat();
  EXPECT_ERROR(model.fit(endless, {.verbose = 0}), InvalidArgumentError,
               "fit: the data set never ends. Say how many steps to take.");
  EXPECT_EQ(model.fit(endless, {.epochs = 2, .verbose = 0, .steps_per_epoch = 3})["loss"].size(),
            2u);
}

TEST_P(FitBothWays, CtrlCEndsItAndKeepsTheHistory) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  Script script;
  int steps = 0;
  script.at_step = [&](int64_t) {
    if (++steps == 3) std::raise(SIGINT);
  };
  Captured captured;
  const History history =
      model.fit(problem.x, problem.y, {.batch_size = 32, .epochs = 50, .callbacks = {&script}});
  EXPECT_TRUE(history.interrupted);
  EXPECT_EQ(steps, 3);  // the step under way was finished, and none begun
  EXPECT_EQ(history["loss"].size(), 2u);
  EXPECT_TRUE(captured.text().ends_with("\n")) << captured.text();
}

TEST_P(FitBothWays, SaysAtWhichStepTheLossWasLost) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  std::vector<std::string> said;
  const auto before =
      logging::set_handler([&](logging::Level, std::string_view text) { said.emplace_back(text); });
  Tensor y = concat({slice(problem.y, {0, 0}, {32, 1}),
                     fill({32, 1}, std::numeric_limits<double>::quiet_NaN(), float32)},
                    0);
  model.fit(problem.x, y, {.batch_size = 16, .verbose = 0, .shuffle = false});
  logging::set_handler(before);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("became nan at step 3 of epoch 1"), std::string::npos) << said[0];
}

TEST_P(FitBothWays, WeightsOfSamplesAndClasses) {
  const Tensor x = ones({4, 1});
  const Tensor y = {0, 1, 1, 2};
  const Tensor weights = loops::sample_weights(y, {{1, 3.0}, {2, 0.5}});
  expect_equal(weights, {{4}, {1, 3, 3, 0.5}}, float32);
  expect_equal(loops::sample_weights(one_hot(y, 3), {{1, 3.0}, {2, 0.5}}), {{4}, {1, 3, 3, 0.5}},
               float32);

  const Sequential model({layers::Dense(
      {.units = 1, .use_bias = false, .kernel_initializer = "ones", .input_shape = {1}})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}),
                 .loss = "mse",
                 .metrics = {"mse"},
                 .weighted_metrics = {"mse"},
                 .run_eagerly = eagerly});
  const Tensor target = {{0.f}, {0.f}, {0.f}, {3.f}};  // squared errors 1, 1, 1, 4
  const Logs logs = model.test_on_batch(x, target, {.sample_weight = Tensor{1.f, 0.f, 0.f, 2.f}});
  EXPECT_FLOAT_EQ(static_cast<float>(logs["loss"]), 9.0f / 4);
  EXPECT_FLOAT_EQ(static_cast<float>(logs["mse"]), 7.0f / 4);
  EXPECT_FLOAT_EQ(static_cast<float>(logs["weighted_mse"]), 9.0f / 3);
}

TEST_P(FitBothWays, SeveralInputsAndOutputs) {
  const Tensor a = keras::Input({.shape = {2}, .name = "a"}),
               b = keras::Input({.shape = {2}, .name = "b"});
  const Tensor sum = layers::Add()({a, b});
  const Tensor one = layers::Dense({.units = 1, .name = "one"})(sum);
  const Tensor two = layers::Dense({.units = 1, .name = "two"})(sum);
  const Model model({.inputs = {a, b}, .outputs = {one, two}});
  model.compile({.optimizer = "sgd",
                 .loss = {"mse", "mae"},
                 .loss_weights = {1, 0.5},
                 .metrics = {{"mae"}, {}},
                 .run_eagerly = eagerly});
  const Tensor x = ones({8, 2});
  const Logs logs = model.train_on_batch({x, x}, {zeros({8, 1}), ones({8, 1})});
  std::string names;
  for (const auto& [name, value] : logs) names += name + " ";
  EXPECT_EQ(names, "loss one_loss two_loss one_mae ");
  EXPECT_NEAR(logs["loss"], logs["one_loss"] + 0.5 * logs["two_loss"], 1e-5);
  EXPECT_ERROR(model.train_on_batch({x, x}, zeros({8, 1})), InvalidArgumentError,
               "has 2 outputs, but y has 1 tensors");
  const Model wrong({.inputs = {a, b}, .outputs = {one, two}});
  wrong.compile({.loss = "mse", .metrics = {"mae"}, .run_eagerly = eagerly});
  EXPECT_ERROR(wrong.train_on_batch({x, x}, {zeros({8, 1}), ones({8, 1})}), InvalidArgumentError,
               "must have as many items");
  EXPECT_ERROR(model.train_on_batch({x, x}, {zeros({8, 1}), ones({8, 1})},
                                    {.sample_weight = {ones({8}), ones({8}), ones({8})}}),
               InvalidArgumentError, "sample_weight has 3 tensors");
  const std::vector<Tensor> all = model.predict_all({x, x}, {.verbose = 0});
  ASSERT_EQ(all.size(), 2u);
  expect_same(all[1], model.call_all({x, x})[1]);
}

TEST_P(FitBothWays, MetricsForEachOutput) {
  const Tensor x = keras::Input({.shape = {2}});
  const Tensor one = layers::Dense({.units = 1, .name = "one"})(x);
  const Tensor two = layers::Dense({.units = 1, .name = "two"})(x);
  const Model model({.inputs = x, .outputs = {one, two}});
  const auto names_with = [&](const MetricLists& metrics) {
    model.compile({.loss = "mse", .metrics = metrics, .run_eagerly = eagerly});
    std::string names;
    for (const auto& [name, value] :
         model.test_on_batch(ones({4, 2}), {zeros({4, 1}), ones({4, 1})}))
      if (!name.ends_with("loss")) names += name + " ";
    return names;
  };
  EXPECT_EQ(names_with({"mae", "mse"}), "one_mae two_mse ");
  EXPECT_EQ(names_with({{"mae"}, {"mse"}}), "one_mae two_mse ");
  EXPECT_EQ(names_with({{"mae", "mse"}, {"mae"}}), "one_mae one_mse two_mae ");
  EXPECT_EQ(names_with({{}, "mse"}), "two_mse ");
  EXPECT_EQ(names_with({metrics::MeanSquaredError(), {metrics::MeanAbsoluteError(), "mse"}}),
            "one_mean_squared_error two_mean_absolute_error two_mse ");
  EXPECT_EQ(names_with(std::vector<Metric>{"mae", "mse"}), "one_mae two_mse ");

  const Sequential single = linear_model(eagerly);
  single.compile({.loss = "mse", .metrics = {{"mae", "mse"}}, .run_eagerly = eagerly});
  EXPECT_TRUE(single.test_on_batch(ones({4, 3}), ones({4, 1})).contains("mae"));
}

TEST(Fit, TakesHowStepsAreRun) {
  const Problem problem;
  const Sequential model = linear_model();
  for (const JitCompile& jit : {JitCompile(true), JitCompile(false), JitCompile("auto")}) {
    model.compile(
        {.loss = "mse", .run_eagerly = true, .steps_per_execution = 4, .jit_compile = jit});
    EXPECT_EQ(model.fit(problem.x, problem.y, {.verbose = 0}).epoch.size(), 1u);
  }
  EXPECT_TRUE(CompileOptions{}.jit_compile.automatic());
  EXPECT_TRUE(CompileOptions{.jit_compile = true}.jit_compile.on());
}

TEST_P(FitBothWays, SaysWhatIsMissing) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  EXPECT_ERROR(
      model.fit(problem.x, problem.y,
                {.verbose = 0, .validation_data = {problem.x, problem.y}, .validation_freq = 0}),
      InvalidArgumentError, "validation_freq must be positive");
  Script* none = nullptr;
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.verbose = 0, .callbacks = {none}}),
               InvalidArgumentError, "null pointer");
  model.compile({.metrics = {"mae"}, .run_eagerly = eagerly});
  EXPECT_ERROR(model.fit(problem.x, {}, {.verbose = 0}), InvalidArgumentError,
               "there are metrics, but nothing to compare with");
  model.compile({.loss = losses::MeanSquaredError({.reduction = "none"}), .run_eagerly = eagerly});
  EXPECT_ERROR(model.fit(problem.x, problem.y, {.verbose = 0}), InvalidArgumentError,
               "must be one number");
}

TEST_P(FitBothWays, ACallbackMayCompileAnew) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  Script script;
  script.at_step = [&](int64_t) {
    model.compile({.optimizer = "sgd", .loss = "mae", .run_eagerly = eagerly});
  };
  const History history = model.fit(problem.x, problem.y,
                                    {.batch_size = 16,
                                     .epochs = 3,
                                     .verbose = 0,
                                     .callbacks = {&script},
                                     .validation_data = {problem.x, problem.y}});
  EXPECT_EQ(history["loss"].size(), 3u);
  EXPECT_EQ(history["mae"].size(), 1u);  // the metric of the first epoch alone
}

TEST_P(FitBothWays, NoStepLeavesNoAverages) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  model.compile(
      {.optimizer = optimizers::SGD({.use_ema = true}), .loss = "mse", .run_eagerly = eagerly});
  const History history =
      model.fit(problem.x, problem.y, {.epochs = 1, .verbose = 0, .initial_epoch = 1});
  EXPECT_TRUE(history.epoch.empty());
  expect_same(model.get_weights()[0], zeros({3, 1}));
}

TEST_P(FitBothWays, AllFrozenLearnsNothing) {
  const Problem problem;
  const Sequential model = linear_model(eagerly);
  model.set_trainable(false);
  std::vector<std::string> said;
  const auto before =
      logging::set_handler([&](logging::Level, std::string_view text) { said.emplace_back(text); });
  model.fit(problem.x, problem.y, {.batch_size = 16, .epochs = 2, .verbose = 0});
  logging::set_handler(before);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("has no trainable weights"), std::string::npos) << said[0];
  expect_same(model.get_weights()[0], zeros({3, 1}));
}

TEST_P(FitBothWays, RegularizersAreLearntFrom) {
  const Sequential model({layers::Dense({.units = 1,
                                         .use_bias = false,
                                         .kernel_initializer = "ones",
                                         .kernel_regularizer = regularizers::L2(0.5),
                                         .input_shape = {2}})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .loss = "mse",
                 .run_eagerly = eagerly});
  const Logs logs = model.train_on_batch(zeros({4, 2}), zeros({4, 1}));
  EXPECT_FLOAT_EQ(static_cast<float>(logs["loss"]), 1);                    // 0.5 * (1 + 1)
  EXPECT_FLOAT_EQ(model.get_weights()[0].span<float>()[0], 1 - 0.1f * 1);  // d = 2 * 0.5 * 1
}

TEST(Fit, PrintsWhatKerasPrints) {
  const Problem problem;
  const Sequential model = linear_model();
  Captured captured;
  model.fit(problem.x, problem.y, {.epochs = 2, .validation_data = {problem.x, problem.y}});
  model.evaluate(problem.x, problem.y, {.verbose = 2});
  model.predict(problem.x, {.verbose = 0});
  std::vector<std::string> lines;
  size_t from = 0;
  for (size_t to; (to = captured.text().find('\n', from)) != std::string::npos; from = to + 1)
    lines.push_back(captured.text().substr(from, to - from));
  ASSERT_EQ(lines.size(), 5u) << captured.text();
  EXPECT_EQ(lines[0], "Epoch 1/2");
  EXPECT_TRUE(lines[1].starts_with("2/2 ━━━━━━━━━━━━━━━━━━━━ 0s ")) << lines[1];
  for (const char* name : {" - loss: ", " - mae: ", " - val_loss: ", " - val_mae: "})
    EXPECT_NE(lines[1].find(name), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[4].starts_with("2/2 - 0s - ")) << lines[4];
}

TEST_P(FitBothWays, StepsPerEpochGoOnWhereTheyStopped) {
  const Sequential model({layers::Rescaling({.scale = 1.0, .input_shape = {1}})});
  std::vector<float> seen;
  const auto note = [&](const Tensor&, const Tensor& y_pred) {
    for (float value : y_pred.to_vector<float>()) seen.push_back(value);
    return reduce_mean(y_pred, {.axis = -1});
  };
  model.compile({.loss = note, .run_eagerly = eagerly});
  const Tensor x = cast(reshape(range(6), {6, 1}), float32);
  model.evaluate(x, x, {.batch_size = 2, .verbose = 0, .steps = 2});
  EXPECT_EQ(seen, (std::vector<float>{0, 1, 2, 3}));
}
