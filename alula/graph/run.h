#pragma once
#include <functional>

#include "alula/graph/graph.h"

namespace alula::graph {

/// Calls an op for a node; a random op is given with its next numbers.
using CallNode =
    std::function<Tensors(const Node& node, const Op& op, std::span<const Tensor> inputs)>;

/// Runs a graph node by node, as an eager call would: the shapes of its values need not be known
/// before, and its ops run where their operands are. Variables are written when all else is done,
/// so that a failed run leaves them as they were. `call` runs each op; it is dispatch if none is
/// given. In a function that is being traced it becomes part of that.
///   run(trace(f, {{string, {}}}), {&line})
Tensors run(const Graph& graph, TensorRefs inputs, const CallNode& call = {});

/// Whether the shapes of all values are known, as compiling takes.
bool has_known_shapes(const Graph& graph);

}  // namespace alula::graph
