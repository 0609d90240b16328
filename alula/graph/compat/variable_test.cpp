#include "alula/graph/compat/variable.h"

#include "alula/graph/compat/v1.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
namespace v1 = alula::compat::v1;

namespace {

class CompatVariable : public ::testing::Test {
 protected:
  void SetUp() override { v1::reset_default_graph(); }
};

}  // namespace

TEST_F(CompatVariable, HasNoValueBeforeItsInitializerRan) {
  const v1::Variable w = v1::get_variable("w", {.shape = {2, 3}});
  EXPECT_EQ(w.name(), "w");
  EXPECT_EQ(w.spec(), (Spec{float32, {2, 3}}));
  v1::Session session;
  const Tensor y = w * 2;
  EXPECT_ERROR(session.run(y), FailedPreconditionError, "the variable 'w' has no value");
  EXPECT_ERROR(session.run(w), FailedPreconditionError, "the variable 'w' has no value");
  EXPECT_ERROR(session.run(w.assign_add(w)), FailedPreconditionError,
               "the variable 'w' has no value");
  session.run(v1::global_variables_initializer());
  EXPECT_EQ(session.run(y).shape(), (Shape{2, 3}));
}

TEST_F(CompatVariable, EachSessionHasItsOwnValue) {
  const v1::Variable v(Tensor(1.f));
  EXPECT_EQ(v.name(), "Variable");
  EXPECT_EQ(v1::Variable(Tensor(1.f)).name(), "Variable_1");
  v1::Session one;
  one.run(v.initializer());
  one.run(v.assign(Tensor(5.f)));
  {
    v1::Session two;
    EXPECT_ERROR(two.run(v), FailedPreconditionError, "has no value in this session");
    two.run(v1::variables_initializer({v}));
    EXPECT_EQ(two.run(v).item<float>(), 1);
  }
  EXPECT_EQ(one.run(v).item<float>(), 5);
  one.run(v.initializer());
  EXPECT_EQ(one.run(v).item<float>(), 1);
}

TEST_F(CompatVariable, AssignmentsOfOneRunHappenOneAfterTheOther) {
  v1::Session session;
  const v1::Variable v(Tensor(1.f));
  session.run(v.initializer());
  const Tensor before = v + 0;
  const std::vector<Tensor> values =
      session.run({v.assign_add(Tensor(10.f)), v.assign_sub(Tensor(3.f)), before, v});
  EXPECT_EQ(values[0].item<float>(), 11);
  EXPECT_EQ(values[1].item<float>(), 8);
  EXPECT_EQ(values[2].item<float>(), 1);
  EXPECT_EQ(values[3].item<float>(), 1);
  EXPECT_EQ(session.run(v).item<float>(), 8);
}

TEST_F(CompatVariable, ValuesReturnedBeforeStayAsTheyWere) {
  v1::Session session;
  const v1::Variable v =
      v1::get_variable("v", {.shape = {1000}, .initializer = v1::ones_initializer()});
  session.run(v.initializer());
  const Tensor old = session.run(v);
  const v1::Operation twice = v1::group(std::vector{v.assign_add(v)});
  session.run(twice);
  session.run(twice);
  EXPECT_EQ(old.span<float>()[7], 1);
  EXPECT_EQ(session.run(v).span<float>()[7], 4);
}

TEST_F(CompatVariable, ANameIsTakenOnce) {
  v1::get_variable("w", {.shape = {2}});
  EXPECT_ERROR(v1::get_variable("w", {.shape = {2}}), InvalidArgumentError,
               "there is a variable 'w' already, float32[2]");
  EXPECT_ERROR(v1::get_variable(""), InvalidArgumentError, "the name is empty");
  const auto make = [] { return v1::get_variable("w", {.shape = {2}}); };
  v1::Variable first, second;
  {
    const auto scope = v1::variable_scope("layer");
    first = make();
    EXPECT_EQ(first.name(), "layer/w");
  }
  {
    const auto scope = v1::variable_scope("layer", {.reuse = v1::Reuse::kYes});
    second = make();
    EXPECT_TRUE(second.same_as(first));
    EXPECT_ERROR(v1::get_variable("other", {.shape = {2}}), NotFoundError,
                 "no variable 'layer/other' to reuse");
    EXPECT_ERROR(v1::get_variable("w", {.shape = {3}}), InvalidArgumentError,
                 "'layer/w' is float32[2]. Got float32[3]");
  }
  {
    const auto scope = v1::variable_scope("layer", {.reuse = v1::Reuse::kAuto});
    EXPECT_TRUE(make().same_as(first));
    EXPECT_EQ(v1::get_variable("new", {.shape = {2}}).name(), "layer/new");
  }
  EXPECT_EQ(v1::global_variables().size(), 3u);
}

TEST_F(CompatVariable, Initializers) {
  v1::Session session;
  const auto made = [&](const std::string& name, const v1::Initializer& initializer) {
    const v1::Variable v = v1::get_variable(name, {.shape = {40, 50}, .initializer = initializer});
    session.run(v.initializer());
    return session.run(v).to_vector<float>();
  };
  const auto spread = [](const std::vector<float>& values) {
    double sum = 0, squares = 0, most = 0;
    for (float x : values) {
      sum += x;
      squares += double{x} * x;
      most = std::max(most, std::abs(double{x}));
    }
    const auto count = static_cast<double>(values.size());
    return std::array{sum / count, std::sqrt(squares / count), most};
  };
  EXPECT_EQ(made("zeros", v1::zeros_initializer()), std::vector<float>(2000, 0));
  EXPECT_EQ(made("ones", v1::ones_initializer()), std::vector<float>(2000, 1));
  EXPECT_EQ(made("constant", v1::constant_initializer(2.5)), std::vector<float>(2000, 2.5));
  EXPECT_NEAR(spread(made("normal", v1::random_normal_initializer({.stddev = 2})))[1], 2, 0.2);
  EXPECT_LE(spread(made("truncated", v1::truncated_normal_initializer()))[2], 2);
  EXPECT_NEAR(spread(made("uniform", v1::random_uniform_initializer({.maxval = 4})))[0], 2, 0.2);
  const double limit = std::sqrt(6.0 / 90);
  const auto glorot = spread(made("glorot", {}));
  EXPECT_LE(glorot[2], limit * 1.0001);
  EXPECT_NEAR(glorot[1], limit / std::sqrt(3), 0.01);
  EXPECT_NEAR(spread(made("glorot_normal", v1::glorot_normal_initializer()))[1],
              std::sqrt(2.0 / 90), 0.01);
  const Tensor value = {1, 2};
  const v1::Variable given = v1::get_variable("given", {.initializer = value});
  session.run(given.initializer());
  expect_equal(session.run(given), {{2}, {1, 2}}, int32);
  const v1::Variable count = v1::get_variable("count", {.shape = {2}, .dtype = int64});
  session.run(count.initializer());
  expect_equal(session.run(count), {{2}, {0, 0}}, int64);
}

TEST_F(CompatVariable, RandomInitialValuesAreDrawnAnew) {
  v1::Session session;
  const v1::Variable v = v1::get_variable("v", {.shape = {4}});
  session.run(v.initializer());
  const std::vector<float> first = session.run(v).to_vector<float>();
  EXPECT_EQ(session.run(v).to_vector<float>(), first);
  session.run(v.initializer());
  EXPECT_NE(session.run(v).to_vector<float>(), first);
}

TEST_F(CompatVariable, SaysWhatCannotBeAssigned) {
  const v1::Variable v = v1::get_variable("v", {.shape = {2}});
  EXPECT_ERROR(v.assign(Tensor{1.f}), InvalidArgumentError,
               "assign: the variable 'v' is float32[2]. Got float32[1]. Use reshape().");
  EXPECT_ERROR(v.assign_add(Tensor{1, 2}), InvalidArgumentError, "Use cast().");
  EXPECT_ERROR(v.assign_sub(Tensor()), InvalidArgumentError,
               "assign_sub: the value for 'v' is not defined yet");
  EXPECT_ERROR(v1::Variable::of(Tensor{1.f}, "f"), InvalidArgumentError,
               "f: this tensor is no variable");
  EXPECT_ERROR(v1::Variable().name(), InvalidArgumentError, "the variable is not defined");
  EXPECT_ERROR(v1::Variable(Tensor()), InvalidArgumentError, "needs an initial value");
  EXPECT_ERROR(v1::Variable(v1::placeholder(float32, {kUnknown})), InvalidArgumentError,
               "must be known");
}

TEST_F(CompatVariable, TrainableOnes) {
  v1::get_variable("a", {.shape = {2}});
  v1::get_variable("b", {.shape = {2}, .trainable = false});
  ASSERT_EQ(v1::trainable_variables().size(), 1u);
  EXPECT_EQ(v1::trainable_variables()[0].name(), "a");
}

TEST_F(CompatVariable, EagerOnesAreAssignedByOperations) {
  alula::Variable v(Tensor(1.f), {.name = "v"}), w(Tensor(2.f), {.name = "w"});
  v1::Session session;
  EXPECT_ERROR(v.assign(Tensor(3.f)), FailedPreconditionError,
               "assigning to the variable 'v' changes nothing by itself");
  const v1::Operation step = v1::operation([&] {
    v.assign_add(w);
    w.assign(v * 10);  // sees what v has become
  });
  session.run(step);
  EXPECT_EQ(v.storage().item<float>(), 3);
  EXPECT_EQ(w.storage().item<float>(), 30);
  session.run(v1::group(std::vector{step, step}));
  EXPECT_EQ(v.storage().item<float>(), 33);
  EXPECT_ERROR(v1::operation([] { fail("stop"); }), InvalidArgumentError, "stop");
  EXPECT_ERROR(v.assign(Tensor(3.f)), FailedPreconditionError, "changes nothing by itself");
}
