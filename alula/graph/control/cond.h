#pragma once
#include <concepts>
#include <functional>
#include <vector>

#include "alula/core/tensor.h"

namespace alula {

/// Calls `true_fn` if a scalar bool is true, else `false_fn`, and returns what it returned. In a
/// function that is being traced, both are traced, and at a run that branch alone runs that the
/// predicate says then: they return as many tensors, of the same dtypes and ranks. They may take
/// tensors from around them, read and assign to variables, and draw random numbers; gradients go
/// through them. Equal shapes are best: with others, the function around it runs op by op.
///   cond(reduce_sum(x) > 0, [&] { return x * 2; }, [&] { return x - 1; })
///   cond(ready, [&] { return std::vector{a, b}; }, [&] { return std::vector{b, a}; })
std::vector<Tensor> cond(const Tensor& pred, const std::function<std::vector<Tensor>()>& true_fn,
                         const std::function<std::vector<Tensor>()>& false_fn);

/// The same for functions of one result.
template <std::invocable F, std::invocable G>
  requires(std::same_as<std::invoke_result_t<F&>, Tensor> &&
           std::same_as<std::invoke_result_t<G&>, Tensor>)
Tensor cond(const Tensor& pred, F true_fn, G false_fn) {
  return cond(pred, std::function([&] { return std::vector<Tensor>{true_fn()}; }),
              std::function([&] { return std::vector<Tensor>{false_fn()}; }))[0];
}

/// The same for functions without a result, which assign to variables.
///   cond(step % 10 == 0, [&] { count.assign_add(Tensor(1)); }, [] {})
template <std::invocable F, std::invocable G>
  requires(std::is_void_v<std::invoke_result_t<F&>> && std::is_void_v<std::invoke_result_t<G&>>)
void cond(const Tensor& pred, F true_fn, G false_fn) {
  const auto without_result = [](auto& f) {
    f();
    return std::vector<Tensor>();
  };
  cond(pred, std::function([&] { return without_result(true_fn); }),
       std::function([&] { return without_result(false_fn); }));
}

}  // namespace alula
