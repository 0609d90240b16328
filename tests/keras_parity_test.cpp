// Training agrees with Keras 3, eagerly and compiled: the same weights and the same batch give the
// same loss, gradients and updates, and runs from the same weights have the same losses. How close
// it comes is in the
// properties of the report (--gtest_output=xml) and in tests/keras_reference/README.md.
#include <map>

#include <gtest/gtest.h>

#include "tests/keras_models_test.h"
#include "tests/keras_training_test.h"

namespace alula::parity {
namespace {

struct Case {
  const char* name;
  keras::Model (*make)();
  bool batch_norm;
  bool eagerly;
};

std::string name_of(const Case& model) {
  return std::string(model.name) + (model.eagerly ? "_eagerly" : "_compiled");
}

void PrintTo(const Case& model, std::ostream* out) { *out << name_of(model); }

struct Step {
  double loss;
  std::vector<Tensor> gradients;
};

constexpr Case kCases[] = {{"mnist_cnn", &mnist_cnn, false, true},
                           {"mnist_cnn", &mnist_cnn, false, false},
                           {"mlp", &mlp, false, true},
                           {"mlp", &mlp, false, false},
                           {"resnet", &resnet, true, true},
                           {"resnet", &resnet, true, false}};

class KerasParity : public ::testing::TestWithParam<Case> {
 protected:
  KerasParity() : reference(GetParam().name), model(GetParam().make()) {}
  void TearDown() override {
    for (const auto& [what, deviation] : largest_)
      RecordProperty(what, fmt::format("{:.1e}", deviation));
  }

  /// Fails if a deviation is larger than it may be (or not a number), and keeps the largest.
  void expect_within(double tolerance, double deviation, const std::string& what) {
    EXPECT_LE(deviation, tolerance) << what;
    double& largest = largest_[what];
    largest = std::max(largest, deviation);
  }

  Step loss_and_gradients(const Training::Batch& batch) const {
    const std::vector<Tensor> results =
        GetParam().eagerly ? step_(batch.x, batch.y) : compiled_(batch.x, batch.y);
    return {results[0].item<float>(), {results.begin() + 1, results.end()}};
  }

  /// The model, compiled with an optimizer.
  void compile(const keras::Optimizer& optimizer) const {
    model.compile({.optimizer = optimizer,
                   .loss = "sparse_categorical_crossentropy",
                   .run_eagerly = GetParam().eagerly});
  }

  const Training reference;
  const keras::Model model;

 private:
  using StepFunction = std::function<std::vector<Tensor>(const Tensor&, const Tensor&)>;
  const keras::Loss loss_ = keras::losses::SparseCategoricalCrossentropy();
  const StepFunction step_ = [this](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    std::vector<Tensor> results = {loss_(y, model(x, {.training = true}))};
    for (const Tensor& gradient : tape.gradient(results[0], model.trainable_variables()))
      results.push_back(gradient);
    return results;
  };
  const Function<StepFunction> compiled_ = function(step_);
  std::map<std::string, double> largest_;
};

double relative(double actual, double expected) { return std::abs(actual - expected) / expected; }

/// A fresh optimizer of that name, with the file's settings where those are not Keras's defaults.
keras::Optimizer make_optimizer(const std::string& name, const io::Json& settings) {
  using namespace keras::optimizers;
  const double rate = settings.at("learning_rate").as_number();
  if (name == "rmsprop") return RMSprop({.learning_rate = rate});
  if (name == "adam") return Adam({.learning_rate = rate});
  if (name == "adamw") return AdamW({.learning_rate = rate});
  return SGD({.learning_rate = rate,
              .momentum = settings.at("momentum").as_number(),
              .nesterov = settings.at("nesterov").as_bool()});
}

/// What weights may differ by after a step, by their norm, if gradients may by `gradients`. Adam's
/// first step is an element's sign, except near zero: there it makes errors 300 times larger.
double tolerance_of_step(const std::string& optimizer, double gradients) {
  return optimizer == "adam" ? std::max(3e-5, gradients) : gradients;
}

/// What the losses of a free run may differ by.
double tolerance_of_run(const std::string& optimizer, bool batch_norm) {
  const bool plain = optimizer == "sgd" || optimizer == "momentum" || optimizer == "nesterov";
  return plain && !batch_norm ? 1e-4 : 1e-3;
}

TEST_P(KerasParity, WeightsAreThoseOfKeras) {
  const std::vector<Variable> weights = model.weights();
  const io::Json::Array& expected = reference.weights().as_array();
  ASSERT_EQ(weights.size(), expected.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string path = expected[i].at("path").as_string();
    EXPECT_EQ(weights[i].name(), path.substr(path.rfind('/') + 1)) << i;
    EXPECT_EQ(weights[i].trainable(), expected[i].at("trainable").as_bool()) << path;
    EXPECT_EQ(weights[i].shape(), reference.initial_weights()[i].shape()) << path;
  }
}

TEST_P(KerasParity, LossGradientsAndUpdatesAgree) {
  const std::vector<Variable> weights = model.weights();
  const std::vector<Variable> trainable = model.trainable_variables();
  for (int64_t s = 0; s < reference.states(); ++s) {
    const std::string key = fmt::format("state/{}", s);
    SCOPED_TRACE(key);
    const std::vector<Tensor> state = reference.weights_of(key);
    // Keras's own float32 is that far from the exact gradients.
    const std::vector<double> rounding = reference.numbers(key + "/float32_error");
    const auto tolerance = [&](size_t i) { return std::max(1e-5, 2 * rounding[i]); };

    model.set_weights(state);
    const Step step = loss_and_gradients(reference.batch_of(key));
    expect_within(1e-5, relative(step.loss, reference.number(key + "/loss")), "loss");
    ASSERT_EQ(step.gradients.size(), rounding.size());

    const auto compare = [&](const std::string& what, const auto& value_of) {
      for (size_t i = 0, t = 0; i < weights.size(); ++i) {
        if (!weights[i].trainable()) continue;
        SCOPED_TRACE(fmt::format("weight {}", i));
        const std::string at = fmt::format("{}/{}/{}", key, what, i);
        expect_within(tolerance_of_step(what, tolerance(t)), reference.distance(value_of(i, t), at),
                      what);
        ++t;
      }
    };
    compare("grad", [&](size_t, size_t t) { return step.gradients[t]; });
    for (size_t i = 0; i < weights.size(); ++i) {
      const std::string moving = fmt::format("{}/moving/{}", key, i);
      if (weights[i].trainable()) continue;
      expect_within(1e-5, reference.distance(weights[i].value(), moving), "moving");
    }
    for (const char* optimizer : {"sgd", "adam", "rmsprop"}) {
      model.set_weights(state);
      keras::Optimizer(optimizer).apply(step.gradients, trainable);
      compare(optimizer, [&](size_t i, size_t) { return weights[i].value(); });
    }
  }
}

TEST_P(KerasParity, RunsAgree) {
  for (const auto& [name, settings] : reference.optimizers().as_object()) {
    SCOPED_TRACE(name);
    model.set_weights(reference.initial_weights());
    const keras::Optimizer optimizer = make_optimizer(name, settings);
    const std::vector<double> expected = reference.numbers("free/" + name + "/loss");
    for (size_t i = 0; i < expected.size(); ++i) {
      const Step step = loss_and_gradients(reference.batch(i));
      optimizer.apply(step.gradients, model.trainable_variables());
      expect_within(tolerance_of_run(name, GetParam().batch_norm), relative(step.loss, expected[i]),
                    name);
    }
  }
}

TEST_P(KerasParity, RunsOfTrainOnBatchAgree) {
  for (const auto& [name, settings] : reference.optimizers().as_object()) {
    SCOPED_TRACE(name);
    model.set_weights(reference.initial_weights());
    compile(make_optimizer(name, settings));
    const std::vector<double> expected = reference.numbers("free/" + name + "/loss");
    for (size_t i = 0; i < expected.size(); ++i) {
      const Training::Batch batch = reference.batch(i);
      expect_within(tolerance_of_run(name, GetParam().batch_norm),
                    relative(model.train_on_batch(batch.x, batch.y)["loss"], expected[i]), name);
    }
  }
}

TEST_P(KerasParity, FitAgrees) {
  for (const auto& [name, settings] : reference.optimizers().as_object()) {
    SCOPED_TRACE(name);
    model.set_weights(reference.initial_weights());
    compile(make_optimizer(name, settings));
    const std::vector<double> losses = reference.numbers("free/" + name + "/loss");
    double mean = 0;
    for (const double value : losses) mean += value / static_cast<double>(losses.size());
    const int64_t size = reference.batch_size();
    const Training::Batch all = reference.rows_from(0, size * static_cast<int64_t>(losses.size()));
    const keras::History history =
        model.fit(all.x, all.y, {.batch_size = size, .verbose = 0, .shuffle = false});
    expect_within(tolerance_of_run(name, GetParam().batch_norm),
                  relative(history["loss"].at(0), mean), name);
  }
}

/// The weights of a state, with which evaluation gives what training does: in the place of the
/// moving statistics those of the batch, by which Keras moved them. They are a hundred times less
/// precise than what they are read from.
std::vector<Tensor> weights_for_evaluation(const Training& reference, const std::string& state) {
  constexpr float kMomentum = 0.99f;
  std::vector<Tensor> weights = reference.weights_of(state);
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string moved = fmt::format("{}/moving/{}", state, i);
    if (reference.has(moved))
      weights[i] = (reference.at(moved) - weights[i] * kMomentum) / (1 - kMomentum);
  }
  return weights;
}

// The batch of a state in pieces, of which the last is smaller.
TEST_P(KerasParity, EvaluateAgrees) {
  compile("rmsprop");
  for (int64_t s = 0; s < reference.states(); ++s) {
    const std::string key = fmt::format("state/{}", s);
    SCOPED_TRACE(key);
    model.set_weights(weights_for_evaluation(reference, key));
    const Training::Batch batch = reference.batch_of(key);
    const keras::Logs logs = model.evaluate(batch.x, batch.y, {.batch_size = 7, .verbose = 0});
    expect_within(GetParam().batch_norm ? 1e-3 : 1e-5,
                  relative(logs["loss"], reference.number(key + "/loss")), "loss");
  }
}

INSTANTIATE_TEST_SUITE_P(Models, KerasParity, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace alula::parity
