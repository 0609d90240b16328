#pragma once
#include <concepts>
#include <functional>
#include <vector>

#include "alula/core/tensor.h"

namespace alula {

struct ScanOptions {
  bool reverse = false;  // from the last element to the first
};

/// What `scan` calls: what has been accumulated, and the next elements; it returns what has been
/// accumulated then.
using ScanFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>& accumulated,
                                                       const std::vector<Tensor>& elements)>;

/// Goes through the elements along the first dimension of some tensors, and returns what has been
/// accumulated after each, stacked. It begins with `initializer` or, if that is empty, with the
/// first elements. In a function that is being traced, it is one node, as `while_loop` is;
/// gradients go through it.
///   scan([](const auto& sum, const auto& x) { return std::vector{sum[0] + x[0]}; },
///        {Tensor{1, 2, 3}}, {Tensor(10)})  ->  {{11, 13, 16}}
std::vector<Tensor> scan(const ScanFunction& fn, const std::vector<Tensor>& elems,
                         const std::vector<Tensor>& initializer = {},
                         const ScanOptions& options = {});

/// The same for one tensor, and one that is accumulated.
///   scan([](const Tensor& a, const Tensor& x) { return a * x; }, Tensor{1, 2, 3})  ->  {1, 2, 6}
template <class F>
  requires std::same_as<std::invoke_result_t<F&, const Tensor&, const Tensor&>, Tensor>
Tensor scan(F fn, const Tensor& elems, const Tensor& initializer = {},
            const ScanOptions& options = {}) {
  std::vector<Tensor> start;
  if (initializer.defined()) start.push_back(initializer);
  const ScanFunction of_lists = [&](const std::vector<Tensor>& accumulated,
                                    const std::vector<Tensor>& elements) {
    return std::vector<Tensor>{fn(accumulated[0], elements[0])};
  };
  return scan(of_lists, std::vector<Tensor>{elems}, start, options)[0];
}

}  // namespace alula
