#include "alula/graph/compat/train.h"

#include <cmath>

#include "alula/graph/compat/v1.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
namespace v1 = alula::compat::v1;

namespace {

class CompatTrain : public ::testing::Test {
 protected:
  void SetUp() override { v1::reset_default_graph(); }
};

}  // namespace

TEST_F(CompatTrain, GradientDescent) {
  v1::Session session;
  const v1::Variable v(Tensor{1.f, 2.f}, {.name = "v"}), other(Tensor(7.f), {.name = "other"});
  const v1::Operation step = v1::train::GradientDescentOptimizer(0.25).minimize(reduce_sum(v * v));
  session.run(v1::global_variables_initializer());
  session.run(step);
  expect_equal(session.run(v), {{2}, {0.5, 1}}, float32);
  session.run(step);
  expect_equal(session.run(v), {{2}, {0.25, 0.5}}, float32);
  EXPECT_EQ(session.run(other).item<float>(), 7);
}

TEST_F(CompatTrain, OnlyWhatIsNamedChanges) {
  v1::Session session;
  const v1::Variable a(Tensor(1.f)), b(Tensor(1.f));
  const v1::Operation step =
      v1::train::GradientDescentOptimizer(0.5).minimize(a * b, {.var_list = {b}});
  session.run(v1::global_variables_initializer());
  session.run(step);
  EXPECT_EQ(session.run(a).item<float>(), 1);
  EXPECT_EQ(session.run(b).item<float>(), 0.5f);
}

TEST_F(CompatTrain, Adam) {
  v1::Session session;
  const v1::Variable v(Tensor{1.0, -3.0}, {.name = "v"});
  v1::train::AdamOptimizer adam({.learning_rate = 0.1});
  const v1::Operation step = adam.minimize(reduce_sum(v * v * v));
  session.run(v1::global_variables_initializer());
  double x[2] = {1, -3}, m[2] = {}, s[2] = {};
  for (int t = 1; t <= 5; ++t) {
    session.run(step);
    for (int i = 0; i < 2; ++i) {
      const double gradient = 3 * x[i] * x[i];
      m[i] = 0.9 * m[i] + 0.1 * gradient;
      s[i] = 0.999 * s[i] + 0.001 * gradient * gradient;
      const double rate = 0.1 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
      x[i] -= rate * m[i] / (std::sqrt(s[i]) + 1e-8);
    }
    const std::vector<float> found = session.run(v).to_vector<float>();
    EXPECT_NEAR(found[0], x[0], 1e-4) << t;
    EXPECT_NEAR(found[1], x[1], 1e-4) << t;
  }
  EXPECT_EQ(v1::trainable_variables().size(), 1u);
}

TEST_F(CompatTrain, SaysWhatIsWrong) {
  v1::train::GradientDescentOptimizer optimizer(0.1);
  const Tensor x = v1::placeholder(float32, {});
  EXPECT_ERROR(optimizer.minimize(x), InvalidArgumentError, "there are no variables to change");
  v1::get_variable("v", {.shape = {}});
  EXPECT_ERROR(optimizer.minimize(x), InvalidArgumentError,
               "the loss depends on none of the variables. Got a loss of float32[]");
}
