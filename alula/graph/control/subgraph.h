#pragma once
#include <memory>
#include <mutex>

#include "alula/graph/compiled.h"
#include "alula/graph/trace.h"

namespace alula::graph {

/// A graph inside a node of another one. It is closed: all that it reads is an input, and what
/// variables become is an output. It is compiled when it first runs, once.
class SubGraph {
 public:
  /// Values that no second run would give again, such as random numbers, become further outputs,
  /// behind the graph's own: a gradient computes all others anew.
  explicit SubGraph(Graph graph);

  const Graph& graph() const { return graph_; }
  /// How many outputs the graph had of its own.
  size_t results() const { return results_; }
  /// The values behind them.
  std::span<const Value> made() const { return std::span(graph_.outputs).subspan(results_); }
  /// Whether it draws random numbers, or a call in it has effects.
  bool has_effects() const { return has_effects_; }
  /// Whether host code is asked for numbers that it has not been given: an optimizer's step.
  bool asks_host() const { return asks_host_; }

  Tensors run(TensorRefs inputs) const;
  /// The graph in one line: "{%0 = input : float32[]; return %0}".
  std::string text() const;

 private:
  Graph graph_;
  size_t results_;
  bool has_effects_ = false;
  bool asks_host_ = false;
  mutable std::once_flag once_;
  mutable std::unique_ptr<Compiled> compiled_;
};

/// What functions inside one that is being traced take from it: its symbolic tensors, other tensors
/// that a tape may watch, and variables.
class Captured {
 public:
  /// Earlier tensors may be watched; those made inside the functions are not.
  Captured() : before_(Tensor(0).id()) {}

  /// Traces a function, and notes what it takes. Nobody hears of it.
  Graph trace(const TracedFunction& function, std::span<const Spec> inputs);

  // When all functions are traced:

  /// A graph with inputs, behind its own, for what any of them takes: variables that one assigns
  /// to, then tensors, then other variables. What the variables become are outputs, behind its own.
  Graph closed(const Graph& graph) const;
  /// What these inputs are now.
  std::vector<Tensor> values() const;
  const std::vector<Variable>& assigned() const { return assigned_; }

 private:
  bool is_taken(const Node& node) const;
  void note_tensor(const Tensor& tensor);

  uint64_t before_;
  std::vector<Tensor> tensors_;
  std::vector<Variable> assigned_, read_;
};

}  // namespace alula::graph
