#pragma once
#include <vector>

#include "alula/graph/graph.h"

namespace alula::graph {

/// Says of each node of a graph for another device than the CPU whether the host computes it: host
/// code, what the device has no kernel for, and counters that only the host reads, such as how many
/// steps an optimizer has made. Random numbers are drawn by the host and, unless they are few, made
/// by the device.
void place_on(Graph& graph, Device device);

/// The variables that stay on the host: those that only the host reads and writes.
std::vector<Variable> host_variables(const Graph& graph);

}  // namespace alula::graph
