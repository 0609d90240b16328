#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/graph/trace.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

/// A graph that adds a constant to exp of a constant: what is left when other passes have found
/// that something is constant.
Graph with_constants(const Tensor& a, const Tensor& b) {
  Graph graph = trace([&](const auto& in) { return std::vector{alula::exp(in[0]) + b}; },
                      std::vector{a.spec()});
  replace(graph, {0, 0}, add_constant(graph, a));
  sort(graph);
  return graph;
}

}  // namespace

TEST(FoldConstants, ComputesWhatDependsOnNothingElse) {
  Graph graph = with_constants(Tensor{0.F, 0.F}, Tensor(2.F));
  fold_constants(graph);
  remove_dead(graph);
  ASSERT_EQ(graph.nodes.size(), 2);  // the input, which nobody reads, and the result
  EXPECT_EQ(graph.nodes[1].constant.to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST(FoldConstants, KeepsWhatGrows) {
  Graph graph = trace([](const auto& in) { return std::vector{broadcast_to(in[0], {1024, 1024})}; },
                      std::vector<Spec>{{float32, {}}});
  replace(graph, {0, 0}, add_constant(graph, Tensor(1.F)));
  sort(graph);
  fold_constants(graph);
  EXPECT_EQ(graph.nodes[graph.outputs[0].node].kind, Node::Kind::kOp);
}

TEST(FoldConstants, LeavesErrorsToTheRun) {
  Graph graph = trace([](const auto& in) { return std::vector{floordiv(in[0], in[0])}; },
                      std::vector<Spec>{{int32, {}}});
  replace(graph, {0, 0}, add_constant(graph, Tensor(0)));
  sort(graph);
  EXPECT_NO_THROW(fold_constants(graph));
  EXPECT_EQ(graph.nodes[graph.outputs[0].node].kind, Node::Kind::kOp);
}
