#pragma once
#include "alula/graph/graph.h"

namespace alula::graph {

/// Puts the nodes of a graph in the order in which a run comes to them, in stages: first what is
/// made by calls of host code (see is_made), then what kernels compute, which the host code of the
/// next stage may read. Random numbers are drawn, and effects happen, in the order that they had.
/// There are no more stages than that takes: usually one, and then the order is left alone.
/// Returns each node's stage.
std::vector<int> put_in_stages(Graph& graph);

}  // namespace alula::graph
