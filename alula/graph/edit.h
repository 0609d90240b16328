#pragma once
#include <span>

#include "alula/graph/graph.h"

/// What passes change graphs with. In between, nodes may stand in any order and need not be used by
/// anyone; `sort` puts them in order again.
namespace alula::graph {

/// Adds a call of an op at the end; its first output.
Value add_node(Graph& graph, std::shared_ptr<const Op> op, std::vector<Value> inputs);
template <class T>
  requires std::derived_from<T, Op>
Value add_node(Graph& graph, T op, std::vector<Value> inputs) {
  return add_node(graph, std::make_shared<const T>(std::move(op)), std::move(inputs));
}
Value add_constant(Graph& graph, Tensor value);

/// Lets all who read `from` read `to`, except the node of `to` itself: that may be made of `from`.
void replace(Graph& graph, Value from, Value to);

/// Keeps the nodes of `order`, in that order.
void keep(Graph& graph, const std::vector<size_t>& order);
/// Puts each node after those that it needs, otherwise as they were.
void sort(Graph& graph);
/// Takes out the nodes that neither an output nor a variable depends on. Inputs stay, and
/// so do random ops and those with effects: a run draws as many numbers as an eager call, so that
/// later ones are the same, and every effect happens.
void remove_dead(Graph& graph);

/// The op of a node if it is of this class, else null.
///   if (const auto* product = op_as<MatMul>(graph.nodes[i])) …
template <class T>
const T* op_as(const Node& node) {
  return node.kind == Node::Kind::kOp ? dynamic_cast<const T*>(node.op.get()) : nullptr;
}

/// Who reads each value of a graph, as it is when this is made.
class Readers {
 public:
  explicit Readers(const Graph& graph);
  /// The nodes that read it, once for each time that they do.
  std::span<const size_t> of(const Value& value) const {
    return nodes_[value.node][static_cast<size_t>(value.index)];
  }
  /// Whether it is an output, or what a variable becomes.
  bool leaves(const Value& value) const {
    return leaves_[value.node][static_cast<size_t>(value.index)];
  }
  /// How often it is read in all.
  size_t count(const Value& value) const { return of(value).size() + (leaves(value) ? 1 : 0); }

 private:
  std::vector<std::vector<std::vector<size_t>>> nodes_;
  std::vector<std::vector<bool>> leaves_;
};

}  // namespace alula::graph
