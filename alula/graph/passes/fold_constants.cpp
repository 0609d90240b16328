#include <algorithm>
#include <optional>

#include "alula/graph/control/history.h"
#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/fill.h"

namespace alula::graph {
namespace {

/// A result is kept if it is small, or no larger than what it is made of: ones({4096, 4096}) is
/// better made anew than kept.
constexpr int64_t kSmall = 16 << 10;

bool is_constant(const Graph& graph, const Value& value) {
  return graph.nodes[value.node].kind == Node::Kind::kConstant;
}

bool is_worth_keeping(const Graph& graph, const Node& node) {
  int64_t taken = kSmall, made = 0;
  for (const Value& input : node.inputs) taken += graph.spec(input).bytes();
  for (const Spec& output : node.outputs) made += output.bytes();
  return made <= taken;
}

/// The values that a node's op can be computed with now, if there are.
std::optional<std::vector<Tensor>> known_inputs(const Graph& graph, const Node& node) {
  std::vector<Tensor> values;
  // These look at the shape alone.
  const bool any = op_as<ZerosLike>(node) != nullptr || op_as<OnesLike>(node) != nullptr;
  for (const Value& input : node.inputs) {
    if (is_constant(graph, input))
      values.push_back(graph.nodes[input.node].constant);
    else if (any)
      values.push_back(zeros(graph.spec(input).shape, graph.spec(input).dtype));
    else
      return {};
  }
  return values;
}

}  // namespace

/// Computes what depends on constants alone. An op that fails is left for the run to fail at.
void fold_constants(Graph& graph) {
  const size_t count = graph.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes[i];
    if (node.kind != Node::Kind::kOp || node.op->type().random || node.op->type().effects ||
        !is_worth_keeping(graph, node))
      continue;
    const auto values = known_inputs(graph, node);
    if (!values) continue;
    Tensors results;
    try {
      results = call_all(*node.op, *values);
    } catch (const Error&) {
      continue;
    }
    // As a constant, it would be taken for an equal one.
    if (std::any_of(results.begin(), results.end(), carries_history)) continue;
    for (size_t k = 0; k < results.size(); ++k) {
      const Value constant = add_constant(graph, results[k]);
      replace(graph, {i, static_cast<int>(k)}, constant);
    }
  }
}

}  // namespace alula::graph
