#include "alula/graph/edit.h"

#include "alula/graph/trace.h"
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

TEST(Edit, ReplacesAddsAndSorts) {
  Graph graph =
      traced([](const auto& in) { return std::vector{alula::exp(in[0]) + 1}; }, {{float32, {2}}});
  const auto exponential = graph.nodes[1].op;
  // Put a second one between the input and the first.
  const Value added = add_node(graph, exponential, {{0, 0}});
  replace(graph, {0, 0}, added);
  sort(graph);
  EXPECT_EQ(graph.str(),
            "%0 = input : float32[2]\n"
            "%1 = exp %0 : float32[2]\n"
            "%2 = exp %1 : float32[2]\n"
            "%3 = constant 1.0 : float32[]\n"
            "%4 = add %2 %3 : float32[2]\n"
            "return %4\n");
}

TEST(Edit, RefusesCycles) {
  Graph graph = traced([](const auto& in) { return std::vector{alula::exp(alula::exp(in[0]))}; },
                       {{float32, {2}}});
  graph.nodes[1].inputs[0] = {2, 0};
  EXPECT_ERROR(sort(graph), InternalError, "depends on itself");
}

TEST(Edit, RemovesWhatNobodyNeedsButKeepsInputsAndVariables) {
  const Variable v(Tensor(2.f), {.name = "v"});
  Graph graph = traced(
      [&](const auto& in) {
        Variable w = v;
        w.assign(in[0]);
        return std::vector{in[0] * 2};
      },
      {{float32, {}}, {float32, {3}}});
  const std::string before = graph.str();
  add_node(graph, graph.nodes.back().op, {{0, 0}, {0, 0}});
  remove_dead(graph);
  EXPECT_EQ(graph.str(), before);
}

TEST(Edit, KnowsReaders) {
  const Graph graph = traced(
      [](const auto& in) {
        const Tensor y = alula::exp(in[0]);
        return std::vector{y * y, y};
      },
      {{float32, {2}}});
  const Readers readers(graph);
  EXPECT_EQ(readers.of({0, 0}).size(), 1);
  EXPECT_FALSE(readers.leaves({0, 0}));
  EXPECT_EQ(readers.of({1, 0}).size(), 2);
  EXPECT_TRUE(readers.leaves({1, 0}));
  EXPECT_EQ(readers.count({1, 0}), 3);
}
