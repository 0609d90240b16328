#include "alula/graph/trace.h"

#include "alula/autograd/tape.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

Graph traced(const TracedFunction& function, const std::vector<Spec>& specs) {
  return trace(function, specs);
}

}  // namespace

TEST(Trace, PrintsWhatAFunctionDoes) {
  const Graph graph = traced(
      [](const auto& in) { return std::vector{matmul(in[0], in[1]) + 1, alula::exp(in[0])}; },
      {{float32, {2, 3}}, {float32, {3, 4}}});
  EXPECT_EQ(graph.str(),
            "%0 = input : float32[2,3]\n"
            "%1 = input : float32[3,4]\n"
            "%2 = matmul %0 %1 : float32[2,4]\n"
            "%3 = constant 1.0 : float32[]\n"
            "%4 = add %2 %3 : float32[2,4]\n"
            "%5 = exp %0 : float32[2,3]\n"
            "return %4 %5\n");
}

TEST(Trace, AssignmentsAreResults) {
  const Variable v(Tensor(2.f), {.name = "v"});
  const Graph graph = traced(
      [&](const auto& in) {
        Variable w = v;
        w.assign_add(in[0]);
        w.assign(w * 2);
        return std::vector{v + in[0]};
      },
      {{float32, {}}});
  EXPECT_EQ(graph.str(),
            "%0 = input : float32[]\n"
            "%1 = variable 'v' : float32[]\n"
            "%2 = add %1 %0 : float32[]\n"
            "%3 = constant 2.0 : float32[]\n"
            "%4 = mul %2 %3 : float32[]\n"
            "%5 = add %4 %0 : float32[]\n"
            "'v' = %4\n"
            "return %5\n");
  EXPECT_EQ(v.value().item<float>(), 2);  // tracing changes nothing
}

TEST(Trace, GradientsAreOps) {
  const Variable w(Tensor{1.f, 2.f}, {.name = "w"});
  const Graph graph = traced(
      [&](const auto& in) {
        GradientTape tape;
        const Tensor y = reduce_sum(w * in[0]);
        return std::vector{tape.gradient(y, w)};
      },
      {{float32, {2}}});
  EXPECT_EQ(graph.nodes.back().op->name(), std::string("mul_gradient"));
  EXPECT_TRUE(graph.updates.empty());
}

TEST(Trace, ConstantsAreComputedAtOnceAndRandomNumbersAreNot) {
  const Graph graph = traced(
      [](const auto& in) {
        return std::vector{in[0] * (Tensor(2.f) + 1), in[0] + random::uniform({2})};
      },
      {{float32, {2}}});
  EXPECT_EQ(graph.str(),
            "%0 = input : float32[2]\n"
            "%1 = random_uniform(shape=[2], dtype=float32, minval=0, maxval=1) : float32[2]\n"
            "%2 = constant 3.0 : float32[]\n"
            "%3 = mul %0 %2 : float32[2]\n"
            "%4 = add %0 %1 : float32[2]\n"
            "return %3 %4\n");
}

TEST(Trace, PrintsAttributesAndConstants) {
  const Tensor short_one = {{1.f, 0.1f}, {-0.f, 4.f}}, long_one = range(0.f, 9.f);
  const Graph graph = traced(
      [&](const auto& in) {
        return std::vector{matmul(in[0], short_one, {.transpose_b = true}) + cast(in[1], float32),
                           leaky_relu(long_one + slice(in[0], {0, 1}, {1, 1}), 0.3)};
      },
      {{float32, {2, 2}}, {int32, {2, 2}}});
  EXPECT_EQ(graph.str(),
            "%0 = input : float32[2,2]\n"
            "%1 = input : int32[2,2]\n"
            "%2 = cast(dtype=float32) %1 : float32[2,2]\n"
            "%3 = constant [1,0.1,-0,4] : float32[2,2]\n"
            "%4 = matmul(transpose_b=true) %0 %3 : float32[2,2]\n"
            "%5 = add %4 %2 : float32[2,2]\n"
            "%6 = slice(begin=[0,1], size=[1,1]) %0 : float32[1,1]\n"
            "%7 = constant #02d4fc3ca80d157b : float32[9]\n"
            "%8 = add %7 %6 : float32[1,9]\n"
            "%9 = leaky_relu(parameters=[0.3]) %8 : float32[1,9]\n"
            "return %5 %9\n");
}

TEST(Trace, SaysWhatIsWrong) {
  EXPECT_ERROR(traced([](const auto& in) { return std::vector{in[0], Tensor()}; }, {{float32, {}}}),
               InvalidArgumentError, "a result is not defined");
  EXPECT_ERROR(
      traced([](const auto& in) { return std::vector{matmul(in[0], in[0])}; }, {{float32, {2, 3}}}),
      InvalidArgumentError, "matmul: the inner sizes differ");
  EXPECT_ERROR(traced(
                   [](const auto& in) {
                     in[0].template item<float>();
                     return in;
                   },
                   {{float32, {}}}),
               FailedPreconditionError, "it is symbolic");
  Tensor kept;
  traced([&](const auto& in) { return std::vector{kept = in[0] + 1}; }, {{float32, {}}});
  EXPECT_ERROR(traced([&](const auto& in) { return std::vector{in[0] + kept}; }, {{float32, {}}}),
               InvalidArgumentError, "of another function");
  EXPECT_FALSE(t_state.tracing());  // an error ends the trace
}

TEST(Trace, TakesLongChains) {
  constexpr int kLength = 3000;
  const Graph graph = traced(
      [](const auto& in) {
        Tensor x = in[0];
        for (int i = 0; i < kLength; ++i) x = alula::exp(x);
        return std::vector{x};
      },
      {{float32, {2}}});
  EXPECT_EQ(graph.nodes.size(), kLength + 1);
}
