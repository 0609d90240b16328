#include "alula/graph/edit.h"

#include <algorithm>

namespace alula::graph {
namespace {

/// Calls f with each value that is read: by nodes, as an output, and for a variable.
template <class F>
void for_each_use(Graph& graph, const F& f) {
  for (Node& node : graph.nodes)
    for (Value& input : node.inputs) f(input);
  for (Value& output : graph.outputs) f(output);
  for (auto& [variable, value] : graph.updates) f(value);
}

}  // namespace

void keep(Graph& graph, const std::vector<size_t>& order) {
  std::vector<size_t> places(graph.nodes.size(), 0);
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (size_t i : order) {
    places[i] = nodes.size();
    nodes.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(nodes);
  for_each_use(graph, [&](Value& value) { value.node = places[value.node]; });
}

Value add_node(Graph& graph, std::shared_ptr<const Op> op, std::vector<Value> inputs) {
  std::vector<const Spec*> specs;
  for (const Value& input : inputs) specs.push_back(&graph.spec(input));
  Specs outputs = op->infer(SpecRefs(specs));
  graph.nodes.push_back(
      {.op = std::move(op), .inputs = std::move(inputs), .outputs = std::move(outputs)});
  return {graph.nodes.size() - 1, 0};
}

Value add_constant(Graph& graph, Tensor value) {
  const Spec spec = value.spec();
  graph.nodes.push_back(
      {.kind = Node::Kind::kConstant, .constant = std::move(value), .outputs = {spec}});
  return {graph.nodes.size() - 1, 0};
}

void replace(Graph& graph, Value from, Value to) {
  const std::vector<Value> own = graph.nodes[to.node].inputs;
  for_each_use(graph, [&](Value& value) {
    if (value == from) value = to;
  });
  graph.nodes[to.node].inputs = own;
}

void sort(Graph& graph) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(graph.nodes.size(), State::kNew);
  std::vector<size_t> order, open;  // a stack of its own: graphs may be deep
  for (size_t start = 0; start < graph.nodes.size(); ++start) {
    open.push_back(start);
    while (!open.empty()) {
      const size_t i = open.back();
      if (states[i] == State::kNew) {
        states[i] = State::kOpen;
        const std::vector<Value>& inputs = graph.nodes[i].inputs;
        for (size_t k = inputs.size(); k-- > 0;) {
          require<InternalError>(states[inputs[k].node] != State::kOpen,
                                 "graph: node {} depends on itself.", inputs[k].node);
          if (states[inputs[k].node] == State::kNew) open.push_back(inputs[k].node);
        }
        continue;
      }
      open.pop_back();
      if (states[i] == State::kDone) continue;
      states[i] = State::kDone;
      order.push_back(i);
    }
  }
  if (!std::is_sorted(order.begin(), order.end())) keep(graph, order);
}

void remove_dead(Graph& graph) {
  std::vector<bool> live(graph.nodes.size(), false);
  std::vector<size_t> open;
  const auto need = [&](size_t i) {
    if (live[i]) return;
    live[i] = true;
    open.push_back(i);
  };
  for (const Value& output : graph.outputs) need(output.node);
  for (const auto& [variable, value] : graph.updates) {
    need(value.node);
    // What a variable is before is asked for by its name, even if nobody reads it.
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].kind == Node::Kind::kVariable && graph.nodes[i].variable.same_as(variable))
        need(i);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.kind == Node::Kind::kInput) need(i);
    if (node.kind == Node::Kind::kOp && (node.op->type().random || node.op->type().effects))
      need(i);
  }
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    for (const Value& input : graph.nodes[i].inputs) need(input.node);
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (live[i]) order.push_back(i);
  if (order.size() < graph.nodes.size()) keep(graph, order);
}

Readers::Readers(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    nodes_.emplace_back(node.outputs.size());
    leaves_.emplace_back(node.outputs.size(), false);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const Value& input : graph.nodes[i].inputs)
      nodes_[input.node][static_cast<size_t>(input.index)].push_back(i);
  for (const Value& output : graph.outputs)
    leaves_[output.node][static_cast<size_t>(output.index)] = true;
  for (const auto& [variable, value] : graph.updates)
    leaves_[value.node][static_cast<size_t>(value.index)] = true;
}

}  // namespace alula::graph
