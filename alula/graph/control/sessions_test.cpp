#include "alula/autograd/tape.h"
#include "alula/graph/compat/v1.h"
#include "alula/graph/control/cond.h"
#include "alula/graph/control/map_fn.h"
#include "alula/graph/control/scan.h"
#include "alula/graph/control/while_loop.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
namespace v1 = alula::compat::v1;

namespace {

using List = std::vector<Tensor>;

class ControlFlowInSessions : public ::testing::Test {
 protected:
  void SetUp() override { v1::reset_default_graph(); }
  void TearDown() override { v1::enable_eager_execution(); }
};

}  // namespace

TEST_F(ControlFlowInSessions, BranchesAndLoops) {
  v1::Session session;
  const Tensor x = v1::placeholder(float32, {kUnknown}), n = v1::placeholder(int32, {});
  const Tensor branch = cond(reduce_sum(x) > 0, [&] { return x * 2; }, [&] { return x - 1; });
  const List loop =
      while_loop([&](const List& v) { return v[0] < n; },
                 [&](const List& v) { return List{v[0] + 1, v[1] * 2 + x}; }, {constant(0), x});
  const Tensor mapped = map_fn([&](const Tensor& one) { return one * one; }, x);
  const auto run = [&](const Tensor& what, const Tensor& value, int count) {
    return session.run(what, {.feed_dict = {{x, value}, {n, Tensor(count)}}});
  };
  expect_equal(run(branch, Tensor{1.f, 2.f}, 0), {{2}, {2, 4}}, float32);
  expect_equal(run(branch, Tensor{-1.f}, 0), {{1}, {-2}}, float32);
  expect_equal(run(loop[1], Tensor{1.f, 2.f}, 3), {{2}, {15, 30}}, float32);
  expect_equal(run(loop[1], Tensor{1.f}, 0), {{1}, {1}}, float32);
  expect_equal(run(mapped, Tensor{1.f, 3.f, 4.f}, 0), {{3}, {1, 9, 16}}, float32);
}

TEST_F(ControlFlowInSessions, ReadVariablesAndHaveGradients) {
  v1::Session session;
  const v1::Variable w(Tensor(3.f), {.name = "w"});
  session.run(v1::global_variables_initializer());
  const Tensor x = v1::placeholder(float32, {});
  const Tensor y = cond(x > 0, [&] { return x * x * w; }, [&] { return x * 1; });
  const Tensor z = while_loop([&](const Tensor& v) { return v < 100; },
                              [&](const Tensor& v) { return v * w * x; }, y);
  const List dy = v1::gradients({y}, {x, w}), dz = v1::gradients({z}, {x, w});
  const auto run = [&](const Tensor& what, float value) {
    return session.run(what, {.feed_dict = {{x, Tensor(value)}}}).item<float>();
  };
  EXPECT_EQ(run(y, 2), 12);
  EXPECT_EQ(run(z, 2), 12 * 36);
  EXPECT_EQ(run(dy[0], 2), 12);
  EXPECT_EQ(run(dy[0], -2), 1);
  EXPECT_EQ(run(dy[1], 2), 4);
  // z = x^4 w^3
  EXPECT_EQ(run(dz[0], 2), 4 * 8 * 27);
  EXPECT_EQ(run(dz[1], 2), 3 * 16 * 9);
}

TEST(ControlFlow, AnEagerTapeSeesNoMoreOfACompiledFunctionThanBefore) {
  const auto f = function([](const Tensor& x) {
    const Tensor doubled = alula::exp(x);
    return cond(reduce_sum(x) > 0, [&] { return x * doubled; }, [&] { return x; });
  });
  const Tensor x{1.f};
  GradientTape tape;
  tape.watch(x);
  const Tensor y = f(x);
  EXPECT_FALSE(tape.gradient(y, x).defined()) << "a part of it would be worse than none";
}
