#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "alula/testing/harness.h"

/// What tests of gradients ask besides whether they agree with finite differences.
namespace alula::testing {

/// The gradient of `f` with respect to one of its inputs. It starts from `dy`, or from ones.
Tensor gradient_of(const Function& f, const std::vector<Tensor>& inputs, size_t wanted = 0,
                   const Tensor& dy = {});

/// Compares the gradients of the gradients of `f` with finite differences: those with respect to
/// each float64 input, as functions of all inputs and of the output's gradient.
void compare_second_gradient(const Function& f, const std::vector<Tensor>& inputs);

/// Whether finite differences can be taken where the order of the elements matters: none are so
/// close that a step makes them change places, nor so large that a step is lost in rounding.
bool is_spread(const Tensor& x);

/// Which ops the gradient of `f` runs, and how often, if only some of the inputs are watched.
std::map<std::string, int> ops_of_gradient(const Function& f, const std::vector<Tensor>& inputs,
                                           const std::set<size_t>& watched);

}  // namespace alula::testing
