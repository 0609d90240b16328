#include <algorithm>
#include <optional>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/transpose.h"

namespace alula::graph {
namespace {

/// The order in which a node's transposition takes the dimensions, if it is one.
std::optional<Ints> order_of(const Graph& graph, const Value& value) {
  const auto* op = op_as<Transpose>(graph.nodes[value.node]);
  if (op == nullptr) return {};
  return op->order(graph.spec(value).rank());
}

bool is_single(const Graph& graph, const Value& value) {
  return graph.spec(value).shape.size() == 1 && graph.spec(value).shape.rank() == 0;
}

/// The order that all inputs of a node with more than one element are transposed by.
std::optional<Ints> common_order(const Graph& graph, const Node& node) {
  std::optional<Ints> common;
  for (const Value& input : node.inputs) {
    if (is_single(graph, input)) continue;
    const std::optional<Ints> order = order_of(graph, input);
    if (!order || (common && *common != *order)) return {};
    // Shapes that broadcast would line up differently.
    if (graph.spec(input).shape != node.outputs[0].shape) return {};
    common = order;
  }
  return common;
}

/// Whether anybody but `node` reads a value.
bool is_read_by_others(const Readers& readers, const Value& value, size_t node) {
  const auto all = readers.of(value);
  return readers.leaves(value) ||
         std::any_of(all.begin(), all.end(), [&](size_t reader) { return reader != node; });
}

}  // namespace

/// Moves transpositions behind elementwise ops, so that they meet others and cancel: an activation
/// between two layers of another layout then costs no transposition at all.
void layout(Graph& graph) {
  const size_t count = graph.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    const auto* op = op_as<ElementwiseOp>(graph.nodes[i]);
    if (op == nullptr) continue;
    const std::optional<Ints> order = common_order(graph, graph.nodes[i]);
    if (!order) continue;
    const Readers readers(graph);
    std::vector<Value> inputs = graph.nodes[i].inputs;
    // What others read is transposed anyway: then this would be one more.
    if (std::any_of(inputs.begin(), inputs.end(), [&](const Value& input) {
          return !is_single(graph, input) && is_read_by_others(readers, input, i);
        }))
      continue;
    for (Value& input : inputs)
      if (!is_single(graph, input)) input = graph.nodes[input.node].inputs[0];
    const auto outputs = static_cast<int>(graph.nodes[i].outputs.size());
    const Value moved = add_node(graph, graph.nodes[i].op, inputs);
    for (int k = 0; k < outputs; ++k)
      replace(graph, {i, k}, add_node(graph, Transpose(Axes(*order)), {{moved.node, k}}));
  }
}

}  // namespace alula::graph
