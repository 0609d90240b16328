#include "alula/graph/compat/graph.h"

#include "alula/graph/compat/v1.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
namespace v1 = alula::compat::v1;

TEST(CompatGraph, NamesAreUnique) {
  const v1::Graph graph;
  EXPECT_EQ(graph.unique_name("x"), "x");
  EXPECT_EQ(graph.unique_name("x"), "x_1");
  EXPECT_EQ(graph.unique_name("x_2"), "x_2");
  EXPECT_EQ(graph.unique_name("x"), "x_3");
  const auto scope = graph.as_default();
  {
    const auto layer = v1::name_scope("layer");
    EXPECT_EQ(graph.unique_name("x"), "layer/x");
    const auto inner = v1::name_scope("part");
    EXPECT_EQ(graph.unique_name("x"), "layer/part/x");
  }
  const auto again = v1::name_scope("layer");
  EXPECT_EQ(graph.unique_name("x"), "layer_1/x");
  EXPECT_ERROR(v1::NameScope(""), InvalidArgumentError, "the name is empty");
}

TEST(CompatGraph, EagerExecutionCanBeDisabled) {
  EXPECT_TRUE(v1::executing_eagerly());
  v1::disable_eager_execution();
  EXPECT_FALSE(v1::executing_eagerly());
  EXPECT_TRUE((Tensor{1.f} + 1).is_symbolic());
  {
    const v1::Graph other;
    const auto scope = other.as_default();
    EXPECT_FALSE(v1::get_default_graph().same_as(v1::Graph()));
    EXPECT_ERROR(v1::reset_default_graph(), FailedPreconditionError, "scope is open");
  }
  EXPECT_FALSE(v1::executing_eagerly());
  const v1::Graph before = v1::get_default_graph();
  v1::reset_default_graph();
  EXPECT_FALSE(v1::get_default_graph().same_as(before));
  EXPECT_TRUE((Tensor{1.f} + 1).is_symbolic());
  v1::enable_eager_execution();
  EXPECT_TRUE(v1::executing_eagerly());
  EXPECT_FALSE((Tensor{1.f} + 1).is_symbolic());
}

TEST(CompatGraph, AFunctionBecomesPartOfTheGraph) {
  const auto twice = function([](const Tensor& x) { return x * 2; });
  v1::Session session;
  const Tensor y = twice(Tensor{1.f, 2.f});
  EXPECT_TRUE(y.is_symbolic());
  expect_equal(session.run(y), {{2}, {2, 4}}, float32);
}

TEST(CompatGraph, NoGraphIsBuiltInsideAFunction) {
  const auto wrong = function([](const Tensor& x) {
    v1::disable_eager_execution();
    return x;
  });
  EXPECT_ERROR(wrong(Tensor{1.f}), FailedPreconditionError, "a function is being traced");
  const auto also = function([](const Tensor& x) {
    v1::Session session;
    return x;
  });
  EXPECT_ERROR(also(Tensor{1.f}), FailedPreconditionError, "a function is being traced");
}

TEST(CompatGraph, ASessionRunsInsideAFunctionBeingTraced) {
  const v1::Graph graph;
  v1::DetachedSession session({.graph = graph});
  Tensor c;
  {
    const auto scope = graph.as_default();
    c = constant(2.f) * constant(3.f);
  }
  const auto f = function([&](const Tensor& x) { return x + session.run(c); });
  EXPECT_EQ(f(Tensor(1.f)).item<float>(), 7);
}
