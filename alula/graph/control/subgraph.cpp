#include "alula/graph/control/subgraph.h"

#include <algorithm>

#include "alula/graph/control/history.h"
#include "alula/graph/control/inside.h"
#include "alula/runtime/autocast.h"
#include "alula/runtime/unheard.h"

namespace alula::graph {
namespace {

bool is_made_anew(const Node& node) {
  if (node.kind == Node::Kind::kHost) return true;
  return node.kind == Node::Kind::kOp && (node.op->type().random || node.op->type().effects);
}

bool contains(const std::vector<Variable>& list, const Variable& variable) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Variable& item) { return item.same_as(variable); });
}

constinit thread_local int t_depth = 0;  // of functions of control flow that are being traced

class Deeper {
 public:
  Deeper() { ++t_depth; }
  ~Deeper() { --t_depth; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
};

/// Makes a copy of a graph, node by node.
class Copy {
 public:
  explicit Copy(const Graph& from) : from_(from), places_(from.nodes.size(), kNone) {}

  /// Adds a node that stands for node i; none of the graph's if there is no i.
  size_t add(Node node) {
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
  }
  void add(size_t i) {
    Node node = from_.nodes[i];
    for (Value& input : node.inputs) input = at(input);
    stand_for(i, add(std::move(node)));
  }
  void stand_for(size_t i, size_t place) { places_[i] = place; }
  bool has(size_t i) const { return places_[i] != kNone; }
  Value at(const Value& value) const { return {places_[value.node], value.index}; }
  Graph& graph() { return graph_; }

 private:
  static constexpr size_t kNone = ~size_t{0};
  const Graph& from_;
  Graph graph_;
  std::vector<size_t> places_;
};

}  // namespace

bool is_inside_control_flow() { return t_depth > 0; }

SubGraph::SubGraph(Graph graph) : graph_(std::move(graph)), results_(graph_.outputs.size()) {
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (!is_made_anew(node)) continue;
    has_effects_ = true;
    asks_host_ = asks_host_ || node.kind == Node::Kind::kHost;
    for (size_t k = 0; k < node.outputs.size(); ++k)
      if (node.outputs[k].shape.is_known()) graph_.outputs.push_back({i, static_cast<int>(k)});
  }
}

Tensors SubGraph::run(TensorRefs inputs) const {
  std::call_once(once_, [&] { compiled_ = std::make_unique<Compiled>(graph_); });
  return compiled_->run(inputs);
}

std::string SubGraph::text() const {
  std::string text = "{";
  for (char c : graph_.str()) text += c == '\n' ? std::string("; ") : std::string(1, c);
  if (text.ends_with("; ")) text.resize(text.size() - 2);
  return text + "}";
}

Graph Captured::trace(const TracedFunction& function, std::span<const Spec> inputs) {
  Graph graph = [&] {
    const Unheard unheard;
    const Deeper deeper;
    return graph::trace(function, inputs);
  }();
  for (const auto& [variable, value] : graph.updates) {
    if (!contains(assigned_, variable)) assigned_.push_back(variable);
    std::erase_if(read_, [&](const Variable& item) { return item.same_as(variable); });
  }
  for (const Node& node : graph.nodes) {
    if (is_taken(node)) note_tensor(node.constant);
    if (node.kind == Node::Kind::kVariable && !contains(assigned_, node.variable) &&
        !contains(read_, node.variable))
      read_.push_back(node.variable);
  }
  return graph;
}

bool Captured::is_taken(const Node& node) const {
  if (node.kind != Node::Kind::kConstant) return false;
  const Tensor& tensor = node.constant;
  return tensor.is_symbolic() || carries_history(tensor) ||
         (is_floating(tensor.dtype()) && tensor.id() < before_);
}

void Captured::note_tensor(const Tensor& tensor) {
  const bool known = std::any_of(tensors_.begin(), tensors_.end(),
                                 [&](const Tensor& item) { return item.same_as(tensor); });
  if (!known) tensors_.push_back(tensor);
}

Graph Captured::closed(const Graph& graph) const {
  Copy copy(graph);
  const auto add_input = [&](const Spec& spec, const auto& is_it) {
    const size_t place = copy.add({.kind = Node::Kind::kInput, .outputs = {spec}});
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (is_it(graph.nodes[i])) copy.stand_for(i, place);
    return place;
  };
  const auto add_variable = [&](const Variable& variable) {
    return add_input(variable.spec(), [&](const Node& node) {
      return node.kind == Node::Kind::kVariable && node.variable.same_as(variable);
    });
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == Node::Kind::kInput) copy.add(i);
  std::vector<Value> after;
  for (const Variable& variable : assigned_) after.push_back({add_variable(variable), 0});
  for (const Tensor& tensor : tensors_)
    add_input(tensor.spec(), [&](const Node& node) {
      return node.kind == Node::Kind::kConstant && node.constant.same_as(tensor);
    });
  for (const Variable& variable : read_) add_variable(variable);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (!copy.has(i)) copy.add(i);
  for (const Value& output : graph.outputs) copy.graph().outputs.push_back(copy.at(output));
  for (size_t k = 0; k < assigned_.size(); ++k) {
    for (const auto& [variable, value] : graph.updates)
      if (variable.same_as(assigned_[k])) after[k] = copy.at(value);
    copy.graph().outputs.push_back(after[k]);
  }
  return std::move(copy.graph());
}

std::vector<Tensor> Captured::values() const {
  std::vector<Tensor> values;
  for (const Variable& variable : assigned_) values.push_back(stored_value(variable));
  values.insert(values.end(), tensors_.begin(), tensors_.end());
  for (const Variable& variable : read_) values.push_back(stored_value(variable));
  return values;
}

}  // namespace alula::graph
