#pragma once
#include <concepts>
#include <vector>

#include "alula/graph/trace.h"

namespace alula {

namespace graph {

/// What a graph gives for `size` elements at once: every op runs once, by its rule for many calls
/// (`Op::batched`), and what is the same for all elements is computed once. `inputs`: one for each
/// of the graph's; those that differ from element to element have a leading dimension of `size`,
/// and so have all results. Random ops draw for each element. A graph that assigns to variables is
/// an error. It runs now or, in a function that is being traced, becomes part of it.
std::vector<Tensor> run_batched(const Graph& graph, std::span<const BatchedInput> inputs,
                                int64_t size);

/// The graph that does so. `batched`: which inputs differ from element to element.
Graph batch_graph(const Graph& graph, const std::vector<bool>& batched, int64_t size);

/// `vectorized_map` for a function of all tensors.
std::vector<Tensor> map_vectorized(const TracedFunction& fn, const std::vector<Tensor>& elems);

/// What a function of tensors returned, as a list.
inline std::vector<Tensor> as_list(Tensor result) { return {std::move(result)}; }
inline std::vector<Tensor> as_list(std::vector<Tensor> results) { return results; }

}  // namespace graph

/// Calls a function for each element along the first dimension of some tensors, and stacks what it
/// returns: a Tensor, or a std::vector of them. Much faster than a loop: `fn` is traced with
/// symbolic tensors, for one element, and each of its ops then runs once, for all. As in
/// TensorFlow, a tensor whose first dimension is 1 is the same for all elements. Variables may be
/// read, but not assigned to.
///   vectorized_map([](const Tensor& row) { return row / reduce_sum(row); },
///                  Tensor{{1.f, 3.f}, {4.f, 1.f}})  ->  {{0.25, 0.75}, {0.8, 0.2}}
///   vectorized_map([](const Tensor& a, const Tensor& b) { return matmul(a, b); }, as, bs)
template <class F, class... T>
  requires(sizeof...(T) > 0 && (std::convertible_to<const T&, Tensor> && ...) &&
           std::invocable<F&, const std::conditional_t<true, Tensor, T>&...>)
auto vectorized_map(F fn, const T&... elems) {
  using R = std::invoke_result_t<F&, const std::conditional_t<true, Tensor, T>&...>;
  static_assert(std::same_as<R, Tensor> || std::same_as<R, std::vector<Tensor>>,
                "a mapped function returns a Tensor or a std::vector<Tensor>");
  const auto traced = [&](const std::vector<Tensor>& in) {
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      return graph::as_list(fn(in[kIndex]...));
    }(std::make_index_sequence<sizeof...(T)>());
  };
  std::vector<Tensor> results = graph::map_vectorized(traced, {Tensor(elems)...});
  if constexpr (std::same_as<R, Tensor>)
    return std::move(results[0]);
  else
    return results;
}

/// The same for a function of a list, however many there are.
///   vectorized_map([](const std::vector<Tensor>& in) { return in[0] + in[1]; }, list)
template <class F>
  requires std::invocable<F&, const std::vector<Tensor>&>
auto vectorized_map(F fn, const std::vector<Tensor>& elems) {
  using R = std::invoke_result_t<F&, const std::vector<Tensor>&>;
  std::vector<Tensor> results = graph::map_vectorized(
      [&](const std::vector<Tensor>& in) { return graph::as_list(fn(in)); }, elems);
  if constexpr (std::same_as<R, Tensor>)
    return std::move(results[0]);
  else
    return results;
}

}  // namespace alula
