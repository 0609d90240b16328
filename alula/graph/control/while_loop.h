#pragma once
#include <concepts>
#include <functional>
#include <vector>

#include "alula/core/tensor.h"

namespace alula {

struct WhileLoopOptions {
  /// Shapes that loop variables have at every step, with kUnknown where a size changes: one a loop
  /// variable, or none if all stay as they are. With unknown sizes, the function around the loop
  /// runs op by op.
  std::vector<Shape> shape_invariants = {};
  int64_t maximum_iterations = -1;  // -1: no limit
};

/// Calls `body` on loop variables, and again on what it returned, as long as `condition` of them is
/// true; returns what they are then. In a function that is being traced, both are traced once, and
/// the loop is one node, which runs as often as the values say: the dtypes and shapes of the
/// variables must stay. Both may take tensors from around them, read variables and draw random
/// numbers, and the body may assign to variables. Gradients go through it: then what the loop
/// variables were at each step is kept, and the rest of a step is computed again.
///   while_loop([](const std::vector<Tensor>& v) { return v[0] < 10; },
///              [](const std::vector<Tensor>& v) { return std::vector{v[0] + 1, v[1] * 2}; },
///              {Tensor(0), Tensor(1.f)})  ->  {10, 1024}
std::vector<Tensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    std::vector<Tensor> loop_variables, const WhileLoopOptions& options = {});

/// The same for one loop variable.
///   while_loop([](const Tensor& x) { return x < 100; }, [](const Tensor& x) { return x * 3; },
///              Tensor(1))  ->  243
template <class C, class B>
  requires(std::same_as<std::invoke_result_t<C&, const Tensor&>, Tensor> &&
           std::same_as<std::invoke_result_t<B&, const Tensor&>, Tensor>)
Tensor while_loop(C condition, B body, const Tensor& loop_variable,
                  const WhileLoopOptions& options = {}) {
  return while_loop(
      std::function([&](const std::vector<Tensor>& in) { return Tensor(condition(in[0])); }),
      std::function(
          [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{body(in[0])}; }),
      std::vector<Tensor>{loop_variable}, options)[0];
}

}  // namespace alula
