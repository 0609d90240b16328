#pragma once
#include "alula/graph/trace.h"

namespace alula::graph {

/// How many elements tensors have along their first dimension, or an error naming `who`.
int64_t count_elements(const char* who, std::span<const Tensor> elems);

/// The elements of a tensor; ops, so that gradients go through them.
std::vector<Tensor> elements_of(const Tensor& elems);

/// Stacks what a function returned for each element: one tensor a result. An error naming `who` if
/// they differ in number, dtype or shape.
std::vector<Tensor> stack_results(const char* who, std::span<const std::vector<Tensor>> results);

/// Tensors without elements, of what a function would return for one.
std::vector<Tensor> empty_results(const TracedFunction& function, std::span<const Spec> inputs);

/// The spec of one element.
Spec element_spec(const Spec& elems);

}  // namespace alula::graph
