// Every loss, metric and optimizer does in a compiled step what it does in an eager one.
#include "alula/keras/compiled_step_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(CompiledParts, EveryMetricAddsUp) {
  const Tensor x = random_tensor({float32, {12, 4}});
  const Tensor one_hots = one_hot(Tensor{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, 3);
  const Tensor weights = random::uniform({12});
  const std::vector<const char*> words = {"accuracy",
                                          "binary_accuracy",
                                          "categorical_accuracy",
                                          "top_k_categorical_accuracy",
                                          "mean_squared_error",
                                          "mean_absolute_error",
                                          "mean_absolute_percentage_error",
                                          "mean_squared_logarithmic_error",
                                          "root_mean_squared_error",
                                          "log_cosh_error",
                                          "cosine_similarity",
                                          "binary_crossentropy",
                                          "categorical_crossentropy",
                                          "kl_divergence",
                                          "poisson",
                                          "hinge",
                                          "squared_hinge",
                                          "categorical_hinge",
                                          "precision",
                                          "recall",
                                          "auc",
                                          "true_positives",
                                          "true_negatives",
                                          "false_positives",
                                          "false_negatives"};
  const Sequential model(
      {layers::Dense({.units = 3, .activation = "softmax", .input_shape = {4}})});
  Said said;
  for (const char* word : words) {
    SCOPED_TRACE(word);
    Logs logs[2];
    for (bool eagerly : {true, false}) {
      model.compile({.loss = "mse",
                     .metrics = {Metric(word)},
                     .weighted_metrics = {Metric(word)},
                     .run_eagerly = eagerly});
      const Logs found =
          model.evaluate(x, one_hots, {.batch_size = 5, .verbose = 0, .sample_weight = weights});
      for (const auto& [name, value] : found)  // without the number at the end
        logs[eagerly].set(fmt::format("{}", logs[eagerly].size()), value);
    }
    expect_same(logs[0], logs[1]);
  }
  EXPECT_TRUE(said.texts.empty()) << said.texts[0];
}

TEST(CompiledParts, AUCComplainsInTheEnd) {
  const Sequential model({layers::Rescaling({.scale = 2.0, .input_shape = {1}})});
  const Tensor y = {{0.f}, {1.f}};
  model.compile({.loss = "mse", .metrics = {metrics::AUC()}});
  EXPECT_ERROR(model.evaluate(Tensor{{0.3f}, {0.9f}}, y, {.verbose = 0}), InvalidArgumentError,
               "predictions must be in [0, 1]. Got some from 0 to 1.8");
  EXPECT_EQ(model.evaluate(Tensor{{0.1f}, {0.4f}}, y, {.verbose = 0}).size(), 2u);
}

TEST(CompiledParts, EveryLossIsLearntFrom) {
  const Tensor x = random_tensor({float32, {12, 4}});
  const Tensor classes = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, one_hots = one_hot(classes, 3);
  Said said;
  const auto try_loss = [&](const Loss& loss, const Tensor& y) {
    SCOPED_TRACE(loss.name());
    std::vector<Tensor> start, results[2];
    for (bool eagerly : {true, false}) {
      const Sequential model(
          {layers::Dense({.units = 3, .activation = "softmax", .input_shape = {4}})});
      if (start.empty()) start = model.get_weights();
      model.set_weights(start);
      model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                     .loss = loss,
                     .run_eagerly = eagerly});
      for (int i = 0; i < 3; ++i)
        model.train_on_batch(x, y, {.sample_weight = reduce_sum(square(x), {.axis = 1})});
      results[eagerly] = model.get_weights();
    }
    expect_same(results[0], results[1]);
  };
  for (const char* word :
       {"categorical_crossentropy", "binary_crossentropy", "mse", "mae", "mape", "msle", "huber",
        "log_cosh", "hinge", "squared_hinge", "categorical_hinge", "kl_divergence", "poisson",
        "cosine_similarity", "crossentropy"})
    try_loss(word, one_hots);
  try_loss("sparse_categorical_crossentropy", classes);
  try_loss(losses::SparseCategoricalCrossentropy({.ignore_class = 1}), classes);
  EXPECT_TRUE(said.texts.empty()) << said.texts[0];
}

TEST(CompiledParts, EveryOptimizerSteps) {
  const Samples samples;
  const auto make = [](const char* name, int kind) -> Optimizer {
    using namespace optimizers;
    const std::string_view word = name;
    const auto with = [&]<class O>(O) -> Optimizer {
      typename O::Options options;
      options.learning_rate = 0.01;
      if (kind == 1) options.clipnorm = 0.1;
      if (kind == 2) options.global_clipnorm = 0.1;
      if (kind == 3) options.gradient_accumulation_steps = 3;
      if (kind == 4) {
        options.use_ema = true;
        options.ema_overwrite_frequency = 3;
      }
      if (kind == 5) {
        options.clipvalue = 0.01;
        options.weight_decay = 0.1;
        options.loss_scale_factor = 2.0;
      }
      return O(options);
    };
    if (word == "sgd") return with(SGD());
    if (word == "rmsprop") return with(RMSprop());
    if (word == "adam") return with(Adam());
    if (word == "adamw") return with(AdamW());
    if (word == "nadam") return with(Nadam());
    if (word == "adamax") return with(Adamax());
    if (word == "adagrad") return with(Adagrad());
    if (word == "adadelta") return with(Adadelta());
    if (word == "ftrl") return with(Ftrl());
    return with(Lion());
  };
  Said said;
  for (const char* name : {"sgd", "rmsprop", "adam", "adamw", "nadam", "adamax", "adagrad",
                           "adadelta", "ftrl", "lion"})
    for (int kind = 0; kind < 6; ++kind) {
      SCOPED_TRACE(fmt::format("{} {}", name, kind));
      std::vector<Tensor> start, weights[2], kept[2];
      for (bool eagerly : {true, false}) {
        const Sequential model = small_model();
        if (start.empty()) start = model.get_weights();
        model.set_weights(start);
        model.compile(classify(eagerly, make(name, kind)));
        for (int i = 0; i < 7; ++i) model.train_on_batch(samples.x, samples.y);
        weights[eagerly] = model.get_weights();
        kept[eagerly] = values_of(model.optimizer().variables());
      }
      expect_same(weights[0], weights[1]);
      expect_same(kept[0], kept[1]);
    }
  EXPECT_TRUE(said.texts.empty()) << said.texts[0];
}
