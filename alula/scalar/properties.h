#pragma once
#include <span>

#include "alula/scalar/program.h"

/// What can be proved of a program's results. "No" also means "not found out".
namespace alula::scalar {

/// Whether no result falls when one input grows and the others stay: true for relu, tanh and a sum,
/// not for gelu. Up to rounding.
bool is_non_decreasing(const Program& program, size_t input, std::span<const double> parameters);

/// Whether all results are linear in one input when the others stay: twice the input gives twice
/// the results, and 0 gives 0. Gradients are, in dy.
bool is_linear(const Program& program, size_t input);

}  // namespace alula::scalar
