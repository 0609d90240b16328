#pragma once
#include <functional>
#include <memory>

#include "alula/graph/compiled.h"
#include "alula/graph/trace.h"

namespace alula {

namespace graph {

/// The graphs of one function, one a signature: the dtypes and shapes of what it is called with.
class Traces {
 public:
  explicit Traces(TracedFunction function) : function_(std::move(function)) {}
  std::vector<Tensor> call(const std::vector<Tensor>& inputs);
  /// The graph for inputs like these, traced if need be.
  const Graph& graph(const std::vector<Tensor>& inputs) { return find(inputs).graph(); }
  size_t count() const { return traces_.size(); }

 private:
  Compiled& find(const std::vector<Tensor>& inputs);
  void warn_of_many(const std::vector<Spec>& signature);

  struct Trace {
    std::vector<Spec> signature;
    std::unique_ptr<Compiled> compiled;
  };
  TracedFunction function_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Trace>> traces_;
  bool warned_ = false;
};

template <class R>
R results_as(std::vector<Tensor> results) {
  if constexpr (std::same_as<R, Tensor>)
    return std::move(results[0]);
  else if constexpr (!std::is_void_v<R>)
    return results;
}

}  // namespace graph

/// A function that is traced when it is first called with tensors of some dtypes and shapes, and
/// from then on runs compiled. Copies share their traces.
template <class F>
class Function {
 public:
  explicit Function(F f) : f_(std::make_shared<F>(std::move(f))) {}

  template <class... T>
    requires std::invocable<F&, const std::conditional_t<true, Tensor, T>&...>
  auto operator()(const T&... inputs) const {
    using R = std::invoke_result_t<F&, const std::conditional_t<true, Tensor, T>&...>;
    static_assert(
        std::is_void_v<R> || std::same_as<R, Tensor> || std::same_as<R, std::vector<Tensor>>,
        "a compiled function returns a Tensor, a std::vector<Tensor> or nothing");
    return graph::results_as<R>(traces<sizeof...(T), R>().call({Tensor(inputs)...}));
  }

  /// The graph that it runs for inputs like these.
  template <class... T>
  const graph::Graph& get_concrete_function(const T&... inputs) const {
    using R = std::invoke_result_t<F&, const std::conditional_t<true, Tensor, T>&...>;
    return traces<sizeof...(T), R>().graph({Tensor(inputs)...});
  }
  /// How often it was traced.
  size_t trace_count() const { return *traces_ == nullptr ? 0 : (*traces_)->count(); }

 private:
  template <size_t kCount, class R>
  graph::Traces& traces() const {
    if (*traces_ == nullptr)
      *traces_ = std::make_unique<graph::Traces>([f = f_](const std::vector<Tensor>& inputs) {
        return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) -> std::vector<Tensor> {
          if constexpr (std::is_void_v<R>) {
            (*f)(inputs[kIndex]...);
            return {};
          } else if constexpr (std::same_as<R, Tensor>) {
            return {(*f)(inputs[kIndex]...)};
          } else {
            return (*f)(inputs[kIndex]...);
          }
        }(std::make_index_sequence<kCount>());
      });
    return **traces_;
  }

  std::shared_ptr<F> f_;
  std::shared_ptr<std::unique_ptr<graph::Traces>> traces_ =
      std::make_shared<std::unique_ptr<graph::Traces>>();
};

/// Compiles a function of tensors, as tf.function does.
///   auto step = function([&](const Tensor& x, const Tensor& y) { …; return loss; });
///   step(x, y)
template <class F>
Function<F> function(F f) {
  return Function<F>(std::move(f));
}

}  // namespace alula
