#pragma once
#include <string>
#include <utility>
#include <vector>

#include "alula/runtime/dispatch.h"
#include "alula/runtime/variable.h"

/// Computations as data: traced once, then run many times.
namespace alula::graph {

/// One output of a node.
struct Value {
  size_t node = 0;
  int index = 0;
  bool operator==(const Value&) const = default;
};

/// A step of a graph.
struct Node {
  enum class Kind : uint8_t {
    kInput,     // given with every run
    kConstant,  // known when the graph was made
    kVariable,  // the value of a variable at the start of a run
    kHost,      // given by host code at every run
    kOp,
  };
  Kind kind = Kind::kOp;
  std::shared_ptr<const Op> op;
  std::shared_ptr<const Call> host;
  Tensor constant;
  Variable variable;
  std::vector<Value> inputs;
  Specs outputs;
  /// Of a graph for another device than the CPU: whether the host computes it nevertheless, or
  /// draws the random numbers of a kernel that runs there.
  enum class Host : uint8_t { kNo, kComputes, kDraws };
  Host by_host = Host::kNo;
};

/// Nodes, each after those that it needs; what a run returns; and what variables become when it has
/// succeeded. A graph has no order but that of the data: assignments are results like any other.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Value> outputs;
  std::vector<std::pair<Variable, Value>> updates;

  const Spec& spec(const Value& value) const { return nodes[value.node].outputs[value.index]; }
  /// One node a line: "%2 = matmul(transpose_a=true) %0 %1 : float32[4,4]". Long constants are a
  /// number that changes with their contents.
  std::string str() const;
};

}  // namespace alula::graph
