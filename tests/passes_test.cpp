// Every two passes switched off together, on the training steps of the example models.
#include "alula/graph/passes.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/example_models_test.h"

using namespace alula;
using namespace alula::examples;

namespace {

constexpr int64_t kBatch = 4;
constexpr int kSteps = 2;

double norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// What steps of training leave: their losses, and all weights.
struct Outcome {
  std::vector<double> losses;
  std::vector<std::vector<double>> weights;

  void compare(const Outcome& other) const {
    for (size_t i = 0; i < losses.size(); ++i)
      EXPECT_NEAR(losses[i], other.losses[i], 1e-5 * std::max(1.0, std::abs(other.losses[i])));
    ASSERT_EQ(weights.size(), other.weights.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      std::vector<double> differences;
      for (size_t k = 0; k < weights[i].size(); ++k)
        differences.push_back(weights[i][k] - other.weights[i][k]);
      EXPECT_LE(norm(differences), 1e-5 * std::max(1.0, norm(other.weights[i]))) << "weight " << i;
    }
  }
};

template <class Step>
Outcome run(Session& session, const Step& step) {
  Outcome outcome;
  random::set_seed(3);
  for (int i = 0; i < kSteps; ++i)
    outcome.losses.push_back(step(session.x, session.y).template item<float>());
  for (const Variable& variable : session.model.weights())
    outcome.weights.push_back(cast(variable.value(), float64).to_vector<double>());
  return outcome;
}

}  // namespace

TEST(Passes, AgreeWithEagerWithoutAnyTwo) {
  std::vector<std::vector<std::string>> choices = {{}, {"all"}};
  const auto all = graph::passes();
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = a; b < all.size(); ++b)
      choices.push_back(a == b ? std::vector<std::string>{all[a].name}
                               : std::vector<std::string>{all[a].name, all[b].name});
  for (const Example& example : all_examples()) {
    if (example.input.size() > 1000) continue;  // the largest has no parts of its own
    Session eager(example, kBatch);
    const Outcome expected =
        run(eager, [&](const Tensor& x, const Tensor& y) { return eager.train(x, y); });
    for (const std::vector<std::string>& without : choices) {
      SCOPED_TRACE(fmt::format("{} without {}", example.name, fmt::join(without, " and ")));
      Session session(example, kBatch);
      const auto step =
          function([&](const Tensor& x, const Tensor& y) { return session.train(x, y); },
                   {.without = without});
      step.get_concrete_function(session.x, session.y);
      run(session, step).compare(expected);
    }
  }
}
