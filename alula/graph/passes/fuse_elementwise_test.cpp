#include "alula/autograd/tape.h"
#include "alula/graph/edit.h"
#include "alula/graph/function.h"
#include "alula/graph/passes.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

Graph fused(const TracedFunction& function, const std::vector<Spec>& specs) {
  Graph graph = trace(function, specs);
  fuse_elementwise(graph);
  sort(graph);
  remove_dead(graph);
  return graph;
}

/// The names of the ops, in order.
std::vector<std::string> ops_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes)
    if (node.kind == Node::Kind::kOp) names.emplace_back(node.op->name());
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST(FuseElementwise, MakesOneOfAChain) {
  const Graph graph = fused([](const auto& in) { return std::vector{relu(in[0] + in[1]) * 2}; },
                            {{float32, {4, 3}}, {float32, {3}}});
  EXPECT_EQ(ops_of(graph), Names{"add+relu+mul"});
  EXPECT_EQ(graph.nodes.back().inputs.size(), 2);  // 2 is part of the program
}

TEST(FuseElementwise, GivesOutWhatOthersRead) {
  const Graph graph = fused(
      [](const auto& in) {
        const Tensor sum = in[0] + 1;
        return std::vector{reduce_sum(sum), alula::exp(sum)};
      },
      {{float32, {4}}});
  EXPECT_EQ(ops_of(graph), (Names{"add+exp", "reduce_sum"}));
  EXPECT_EQ(graph.nodes[graph.nodes.size() - 2].outputs.size(), 2);
}

TEST(FuseElementwise, LeavesOtherShapesAlone) {
  // The bias is made once, not once a row.
  const Graph graph = fused([](const auto& in) { return std::vector{in[0] + alula::exp(in[1])}; },
                            {{float32, {4, 3}}, {float32, {3}}});
  EXPECT_EQ(ops_of(graph), (Names{"exp", "add"}));
}

TEST(FuseElementwise, GoesAroundNothing) {
  // x + 1 is needed by the sum, which is needed by the product: they can't be one.
  const Graph graph = fused(
      [](const auto& in) {
        const Tensor a = in[0] + 1;
        return std::vector{a * reduce_sum(a)};
      },
      {{float32, {4}}});
  EXPECT_EQ(ops_of(graph), (Names{"add", "reduce_sum", "mul"}));
}

TEST(FuseElementwise, GoesAroundNothingThroughOtherClusters) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    const Tensor a = x + 1, b = y + 1;                          // two clusters
    const Tensor c = a * reduce_sum(b), d = b * reduce_sum(a);  // each needs the other's sum
    return std::vector{c + d, c - d};
  };
  const Tensor x{1.F, 2.F}, y{3.F, 4.F};
  const std::vector<Tensor> expected = f(x, y), got = function(f)(x, y);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(got[i].to_vector<float>(), expected[i].to_vector<float>());
}

TEST(FuseElementwise, LeavesAloneWhatCanFail) {
  const Graph graph =
      fused([](const auto& in) { return std::vector{floordiv(in[0] + 1, in[1]) + 1}; },
            {{int32, {4}}, {int32, {4}}});
  EXPECT_EQ(ops_of(graph), (Names{"add", "floordiv", "add"}));
}

TEST(FuseElementwise, KeepsLargeVariablesApartSoThatTheyAreWrittenInPlace) {
  const Variable v(zeros({2048}), {.name = "v"});
  const auto f = [&](const Tensor& x) {
    Variable w = v;
    const Tensor twice = x * 2;
    w.assign_add(twice);
    return twice;
  };
  const auto compiled = function(f);
  const Tensor x = ones({2048});
  const void* before = v.storage().data();
  compiled(x);
  EXPECT_EQ(v.storage().data(), before);
  EXPECT_EQ(v.value().to_vector<float>()[2047], 2);
}

TEST(FuseElementwise, ProgramsCanBeLongAndStayWithinLimits) {
  const auto f = [](Tensor x) {
    for (int i = 0; i < 100; ++i) x = alula::tanh(x) + 0.125F * static_cast<float>(i);
    return x;
  };
  const Tensor x{0.5F, -2.F};
  EXPECT_EQ(function(f)(x).to_vector<float>(), f(x).to_vector<float>());
}
