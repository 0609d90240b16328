#include "alula/graph/stages.h"

#include <algorithm>
#include <numeric>

#include "alula/graph/edit.h"
#include "alula/graph/layout.h"

namespace alula::graph {
namespace {

/// Whether kernels compute it, as opposed to what is there or what host code makes.
bool is_computed(const Node& node) { return node.kind == Node::Kind::kOp && !is_made(node); }

bool has_its_turn(const Node& node) {
  return node.kind == Node::Kind::kOp && (node.op->type().random || node.op->type().effects);
}

std::vector<int> stages_of(const Graph& graph) {
  std::vector<int> stages(graph.nodes.size(), 0);
  int turn = 0;  // the stage of the last call whose order matters
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    for (const Value& input : node.inputs) {
      const size_t from = root_of(graph, input).node;
      const bool next = is_made(node) && is_computed(graph.nodes[from]);
      stages[i] = std::max(stages[i], stages[from] + (next ? 1 : 0));
    }
    if (has_its_turn(node)) turn = stages[i] = std::max(stages[i], turn);
  }
  return stages;
}

}  // namespace

std::vector<int> put_in_stages(Graph& graph) {
  const std::vector<int> stages = stages_of(graph);
  if (std::all_of(stages.begin(), stages.end(), [](int stage) { return stage == 0; }))
    return stages;
  std::vector<size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rank = [&](size_t i) { return 2 * stages[i] + (is_computed(graph.nodes[i]) ? 1 : 0); };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank(a) < rank(b); });
  keep(graph, order);
  std::vector<int> sorted;
  for (size_t i : order) sorted.push_back(stages[i]);
  return sorted;
}

}  // namespace alula::graph
