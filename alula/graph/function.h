#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "alula/graph/compiled.h"
#include "alula/graph/trace.h"

namespace alula {

namespace graph {

/// The graphs of one function, one a signature: the dtypes and shapes of what it is called with.
class Traces {
 public:
  explicit Traces(TracedFunction function, PassOptions options = {})
      : function_(std::move(function)), options_(std::move(options)) {}
  Tensors call(TensorRefs inputs);
  /// The graph that runs for inputs like these, traced if need be.
  const Graph& graph(TensorRefs inputs) { return find(inputs).graph(); }
  Compiled& find(TensorRefs inputs);
  size_t count() const { return traces_.size(); }

 private:
  struct Trace {
    std::vector<Spec> signature;
    std::unique_ptr<Compiled> compiled;
    bool fits(TensorRefs inputs) const;
  };

  Compiled& find_or_trace(TensorRefs inputs);
  void warn_of_many(const std::vector<Spec>& signature);

  TracedFunction function_;
  PassOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Trace>> traces_;
  std::atomic<Trace*> latest_ = nullptr;  // the one that the last call used
  bool warned_ = false;
};

template <class R>
R results_as(Tensors results) {
  if constexpr (std::same_as<R, Tensor>)
    return std::move(results[0]);
  else if constexpr (!std::is_void_v<R>)
    return R(results.begin(), results.end());
}

/// Calls f with what arguments are as tensors: tensors themselves are not copied.
template <class F, class... T>
auto with_tensors(const F& f, const T&... arguments) {
  const auto as_tensor = []<class A>(const A& argument) -> decltype(auto) {
    if constexpr (std::same_as<A, Tensor>)
      return (argument);
    else
      return Tensor(argument);
  };
  return [&](const auto&... tensors) {
    const std::array<const Tensor*, sizeof...(T)> refs{&tensors...};
    return f(TensorRefs(refs));
  }(as_tensor(arguments)...);
}

}  // namespace graph

/// A function that is traced when it is first called with tensors of some dtypes and shapes, and
/// from then on runs compiled. Copies share their traces.
template <class F>
class Function {
 public:
  explicit Function(F f, graph::PassOptions options = {})
      : f_(std::make_shared<F>(std::move(f))), options_(std::move(options)) {}

  template <class... T>
    requires std::invocable<F&, const std::conditional_t<true, Tensor, T>&...>
  auto operator()(const T&... inputs) const {
    using R = std::invoke_result_t<F&, const std::conditional_t<true, Tensor, T>&...>;
    static_assert(
        std::is_void_v<R> || std::same_as<R, Tensor> || std::same_as<R, std::vector<Tensor>>,
        "a compiled function returns a Tensor, a std::vector<Tensor> or nothing");
    graph::Traces& traces = this->traces<sizeof...(T), R>();
    return graph::results_as<R>(
        graph::with_tensors([&](TensorRefs refs) { return traces.call(refs); }, inputs...));
  }

  /// The graph that it runs for inputs like these.
  template <class... T>
  const graph::Graph& get_concrete_function(const T&... inputs) const {
    using R = std::invoke_result_t<F&, const std::conditional_t<true, Tensor, T>&...>;
    graph::Traces& traces = this->traces<sizeof...(T), R>();
    return *graph::with_tensors([&](TensorRefs refs) { return &traces.graph(refs); }, inputs...);
  }
  /// How often it was traced.
  size_t trace_count() const { return *traces_ == nullptr ? 0 : (*traces_)->count(); }

 private:
  template <size_t kCount, class R>
  graph::Traces& traces() const {
    if (*traces_ == nullptr)
      *traces_ = std::make_unique<graph::Traces>(
          [f = f_](const std::vector<Tensor>& inputs) {
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
          },
          options_);
    return **traces_;
  }

  std::shared_ptr<F> f_;
  graph::PassOptions options_;
  std::shared_ptr<std::unique_ptr<graph::Traces>> traces_ =
      std::make_shared<std::unique_ptr<graph::Traces>>();
};

/// Compiles a function of tensors, as tf.function does.
///   auto step = function([&](const Tensor& x, const Tensor& y) { …; return loss; });
///   step(x, y)
/// Passes of the compiler can be left out, to find out what they do:
///   function(f, {.without = {"fuse_elementwise"}})
template <class F>
Function<F> function(F f, graph::PassOptions options = {}) {
  return Function<F>(std::move(f), std::move(options));
}

}  // namespace alula
