#pragma once
#include <functional>

#include "alula/core/tensor.h"

namespace alula::graph {

using BranchFunction = std::function<std::vector<Tensor>()>;

/// A node that runs one of two functions. The predicate is a symbolic bool.
std::vector<Tensor> trace_branch(const Tensor& predicate, const BranchFunction& then,
                                 const BranchFunction& otherwise);

}  // namespace alula::graph
