#pragma once
#include <functional>
#include <span>

#include "alula/graph/graph.h"

namespace alula::graph {

using TracedFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Calls a function once with symbolic tensors of these specs, and makes a graph of what it does:
/// the ops, the variables that it reads and assigns, the gradients that it takes. Other C++ values
/// are as they are now. Ops on constants alone are computed at once; random ones are not. In a
/// function that is being traced itself, that one's tensors are constants, too: symbolic ones, so
/// that the graph is for use inside it alone.
///   trace([](const auto& in) { return std::vector{exp(in[0]) + 1}; }, {{float32, {3}}})
Graph trace(const TracedFunction& function, std::span<const Spec> inputs);

}  // namespace alula::graph
