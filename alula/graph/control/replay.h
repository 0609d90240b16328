#pragma once
#include "alula/graph/control/subgraph.h"

namespace alula::graph {

/// Calls all that a graph does again, in the function that is being traced: variables are read and
/// assigned to there.
std::vector<Tensor> replay(const Graph& graph, std::span<const Tensor> inputs);

/// What a gradient of a sub-graph is computed from.
struct PullBack {
  const SubGraph& body;
  std::vector<Tensor> inputs;
  std::vector<Tensor> made;  // the body's `made`, as they were
  std::vector<Tensor> dy;    // by output, also the made ones; undefined where there is none
  std::vector<bool> wanted;  // by input
};

/// The gradients with respect to the inputs that are wanted, made of ops: undefined where nothing
/// depends on one. What they need of the values in between is computed again, but for what a second
/// run would not give again.
std::vector<Tensor> gradients(const char* who, const PullBack& call);

}  // namespace alula::graph
