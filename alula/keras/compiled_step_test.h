#pragma once
#include "alula/core/log.h"
#include "alula/keras/input.h"
#include "alula/keras/layers.h"
#include "alula/keras/losses/losses.h"
#include "alula/keras/metrics/metrics.h"
#include "alula/keras/optimizers/optimizers.h"
#include "alula/keras/trainer.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

/// What the tests of compiled steps share.
namespace alula::keras {

using testing::expect_equal;
using testing::random_tensor;
using testing::to_array;

/// Keeps what is logged.
class Said {
 public:
  Said()
      : before_(logging::set_handler(
            [this](logging::Level, std::string_view text) { texts.emplace_back(text); })) {}
  ~Said() { logging::set_handler(before_); }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  std::vector<std::string> texts;

 private:
  logging::Handler before_;
};

inline void expect_same(const Tensor& a, const Tensor& b, double relative = 0) {
  expect_equal(a, to_array(b), b.dtype(), {.relative = relative});
}

inline void expect_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                        double relative = 1e-5) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i], relative);
}

inline void expect_same(const Logs& a, const Logs& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, value] : a)
    EXPECT_NEAR(value, b[name], 1e-5 * (1 + std::abs(value))) << name;
}

inline std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& variable : variables) values.push_back(variable.value());
  return values;
}

inline size_t traces_of(const Model& model) { return model.impl().trainer->trace_count(); }

/// Ten samples of six features, of three classes.
struct Samples {
  Tensor x = random_tensor({float32, {10, 6}});
  Tensor y = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
};

inline CompileOptions classify(
    bool eagerly, const Optimizer& optimizer = optimizers::SGD({.learning_rate = 0.1})) {
  return {.optimizer = optimizer,
          .loss = "sparse_categorical_crossentropy",
          .metrics = {"accuracy"},
          .run_eagerly = eagerly};
}

inline Sequential small_model() {
  return Sequential({layers::Dense({.units = 5, .activation = "relu", .input_shape = {6}}),
                     layers::Dense({.units = 3, .activation = "softmax"})});
}

}  // namespace alula::keras
