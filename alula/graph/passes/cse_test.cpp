#include "alula/graph/passes/pass_test.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::graph::testing;

namespace {

/// How many calls are left of those that a function makes.
size_t calls_after(const TracedFunction& f, const Inputs& inputs) {
  after(common_subexpressions, f, inputs);
  size_t count = 0;
  for (const Node& node : graph_after(common_subexpressions, f, inputs).nodes)
    count += node.kind == Node::Kind::kOp ? 1 : 0;
  return count;
}

const Inputs kTwo = {{{1.F, -2.F}, {0.5F, 4.F}}, {{3.F, 1.F}, {-1.F, 2.F}}};

}  // namespace

TEST(CommonSubexpressions, AreComputedOnce) {
  EXPECT_EQ(after(
                common_subexpressions,
                [](const auto& in) {
                  return std::vector{alula::exp(in[0]) + alula::exp(in[0]),
                                     alula::exp(in[0]) + alula::exp(in[0])};
                },
                kTwo),
            "%2 = exp %0 : float32[2,2]\n"
            "%3 = add %2 %2 : float32[2,2]\n"
            "return %3 %3\n");
}

TEST(CommonSubexpressions, KnowWhichOpsCommute) {
  const auto both = [](const auto& f) {
    return [&f](const auto& in) { return std::vector{f(in[0], in[1]), f(in[1], in[0])}; };
  };
  EXPECT_EQ(calls_after(both(add), kTwo), 1);
  EXPECT_EQ(calls_after(both(maximum), kTwo), 1);
  EXPECT_EQ(calls_after(both(sub), kTwo), 2);
  EXPECT_EQ(calls_after(both(less), kTwo), 2);
  const auto product = [](const Tensor& a, const Tensor& b) { return matmul(a, b); };
  EXPECT_EQ(calls_after(both(product), kTwo), 2);
}

TEST(CommonSubexpressions, CompareAttributes) {
  EXPECT_EQ(calls_after(
                [](const auto& in) {
                  return std::vector{reduce_sum(in[0], {.axis = 0}), reduce_sum(in[0], {.axis = 1}),
                                     reduce_sum(in[0], {.axis = 0})};
                },
                kTwo),
            2);
  EXPECT_EQ(calls_after(
                [](const auto& in) {
                  return std::vector{leaky_relu(in[0], 0.1), leaky_relu(in[0], 0.2),
                                     cast(in[0], int32), cast(in[0], float64)};
                },
                kTwo),
            4);
}

TEST(CommonSubexpressions, CompareConstantsByContents) {
  EXPECT_EQ(calls_after(
                [](const auto& in) {
                  return std::vector{in[0] * 2, in[0] * 2, in[0] * Tensor{2.F, 3.F},
                                     in[0] * Tensor{2.F, 3.F}, in[0] * 3};
                },
                kTwo),
            3);
}

TEST(CommonSubexpressions, LeaveRandomNumbersAlone) {
  const Graph graph = graph_after(
      common_subexpressions,
      [](const auto& in) {
        return std::vector{in[0] + random::uniform({2, 2}, {.seed = 1}),
                           in[0] + random::uniform({2, 2}, {.seed = 1})};
      },
      kTwo);
  EXPECT_NE(graph.outputs[0], graph.outputs[1]);
}

TEST(CommonSubexpressions, KeepOpsOfSeveralOutputsTogether) {
  EXPECT_EQ(calls_after(
                [](const auto& in) {
                  const Tensors a = split(in[0], 2, 1), b = split(in[0], 2, 1);
                  return std::vector{a[0] + b[1], b[0] + a[1]};
                },
                kTwo),
            2);
}
