#include "alula/keras/regularizers.h"

#include "alula/autograd/tape.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

/// The penalty of {1, -2, 3}, and its gradient.
void expect_penalty(const Regularizer& regularizer, double value, const Array& gradient) {
  const Variable w({1.F, -2.F, 3.F});
  GradientTape tape;
  const Tensor penalty = regularizer(w);
  expect_equal(penalty, {{}, {value}}, float32);
  expect_equal(tape.gradient(penalty, w), gradient, float32);
}

}  // namespace

TEST(Regularizers, PenaltiesAndGradients) {
  expect_penalty(regularizers::L1(0.5), 3, {{3}, {0.5, -0.5, 0.5}});
  expect_penalty(regularizers::L2(0.5), 7, {{3}, {1, -2, 3}});
  expect_penalty(regularizers::L1L2(0.5, 0.25), 6.5, {{3}, {1, -1.5, 2}});
  expect_penalty(regularizers::L1L2(), 0, {{3}, {0, 0, 0}});
}

TEST(Regularizers, Words) {
  for (const char* word : {"l1", "L1"}) expect_penalty(word, 0.06, {{3}, {0.01, -0.01, 0.01}});
  for (const char* word : {"l2", "L2"}) expect_penalty(word, 0.14, {{3}, {0.02, -0.04, 0.06}});
  for (const char* word : {"l1l2", "L1L2"}) expect_penalty(word, 0, {{3}, {0, 0, 0}});
  expect_penalty("l1_l2", 0.2, {{3}, {0.03, -0.05, 0.07}});
  EXPECT_ERROR(Regularizer("l3"), InvalidArgumentError, "regularizer: there is no \"l3\"");
  EXPECT_ERROR(regularizers::L1(-1), InvalidArgumentError, "the factors cannot be negative");
}

TEST(Regularizers, TakeFunctions) {
  expect_penalty([](const Tensor& w) { return reduce_sum(w) * 2; }, 4, {{3}, {2, 2, 2}});
  EXPECT_FALSE(Regularizer().given());
}
