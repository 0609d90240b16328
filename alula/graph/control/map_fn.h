#pragma once
#include <concepts>
#include <functional>
#include <vector>

#include "alula/core/tensor.h"

namespace alula {

/// Calls a function for each element along the first dimension of some tensors, one after another,
/// and stacks what it returns. In a function that is being traced, it is traced once, and the loop
/// is one node: what it returns must have the same dtypes and shapes for all elements. It may take
/// tensors from around it, read and assign to variables, and draw random numbers; gradients go
/// through it. vectorized_map is faster, where it can be used: it runs each op once for all.
///   map_fn([](const std::vector<Tensor>& in) { return std::vector{in[0] * in[1]}; },
///          {Tensor{1, 2, 3}, Tensor{10, 20, 30}})  ->  {{10, 40, 90}}
std::vector<Tensor> map_fn(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& fn,
                           const std::vector<Tensor>& elems);

/// The same for one tensor.
///   map_fn([](const Tensor& row) { return reduce_max(row); }, Tensor{{1, 3}, {5, 4}})  ->  {3, 5}
template <class F>
  requires std::same_as<std::invoke_result_t<F&, const Tensor&>, Tensor>
Tensor map_fn(F fn, const Tensor& elems) {
  return map_fn(
      std::function([&](const std::vector<Tensor>& in) { return std::vector<Tensor>{fn(in[0])}; }),
      std::vector<Tensor>{elems})[0];
}

}  // namespace alula
