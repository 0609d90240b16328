#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "alula/graph/placed.h"
#include "alula/graph/trace.h"

namespace alula {

namespace graph {

/// The graphs of one function, one a signature: the dtypes and shapes of what it is called with.
class Traces {
 public:
  /// `name` is who speaks in warnings.
  explicit Traces(TracedFunction function, PassOptions options = {}, std::string name = "function")
      : function_(std::move(function)), options_(std::move(options)), name_(std::move(name)) {}
  Tensors call(TensorRefs inputs);
  /// Runs what there is for inputs like these.
  Tensors run(TensorRefs inputs) { return find_trace(inputs).placed.run(inputs); }
  /// The graph that runs for inputs like these, traced if need be.
  const Graph& graph(TensorRefs inputs) { return find(inputs).graph(); }
  /// What runs for them. It stays as long as this does.
  Compiled& find(TensorRefs inputs) { return find_trace(inputs).placed.on(place_of(inputs)); }
  size_t count() const { return traces_.size(); }

 private:
  struct Trace {
    std::vector<Spec> signature;
    Placed placed;
    Trace(const Traces& owner, std::vector<Spec> specs)
        : signature(std::move(specs)),
          placed(graph::trace(owner.function_, signature), owner.options_, owner.name_) {}
    bool fits(TensorRefs inputs) const;
  };

  Trace& find_trace(TensorRefs inputs);
  Trace& find_or_trace(TensorRefs inputs);
  void warn_of_many(const std::vector<Spec>& signature);

  TracedFunction function_;
  PassOptions options_;
  std::string name_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Trace>> traces_;
  std::atomic<Trace*> latest_ = nullptr;  // the one that the last call used
  bool warned_ = false;
};

template <class R>
inline constexpr bool kIsTuple = false;
template <class... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool kIsTuple<std::pair<A, B>> = true;

/// Whether a compiled function may return an R.
template <class R>
inline constexpr bool kIsResult =
    std::is_void_v<R> || std::same_as<R, Tensor> || std::same_as<R, std::vector<Tensor>>;
template <class... T>
inline constexpr bool kIsResult<std::tuple<T...>> = (std::same_as<T, Tensor> && ...);
template <class A, class B>
inline constexpr bool kIsResult<std::pair<A, B>> =
    std::same_as<A, Tensor> && std::same_as<B, Tensor>;

/// What a function returned, one tensor after another; and back.
template <class R>
std::vector<Tensor> as_tensors(R result) {
  if constexpr (std::same_as<R, Tensor>)
    return {std::move(result)};
  else if constexpr (kIsTuple<R>)
    return std::apply([](auto&... item) { return std::vector<Tensor>{std::move(item)...}; },
                      result);
  else
    return result;
}
template <class R>
R from_tensors(Tensors tensors) {
  if constexpr (std::same_as<R, Tensor>)
    return std::move(tensors[0]);
  else if constexpr (kIsTuple<R>)
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      return R{std::move(tensors[kIndex])...};
    }(std::make_index_sequence<std::tuple_size_v<R>>());
  else if constexpr (!std::is_void_v<R>)
    return R(tensors.begin(), tensors.end());
}

/// An argument as a tensor: one that is a tensor is not copied.
struct Argument {
  Tensor made;
  const Tensor* tensor;
  Argument(const Tensor& argument) : tensor(&argument) {}
  template <class T>
  Argument(const T& argument) : made(argument), tensor(&made) {}
  Argument(const Argument&) = delete;
};
/// Such arguments, until the end of the expression that they stand in.
inline TensorRefs refs(std::initializer_list<const Tensor*> tensors) {
  return std::span(tensors.begin(), tensors.size());
}

/// What a Function keeps, whatever the C++ function is: its graphs, by the number of inputs. (A
/// generic lambda may be called with any number.)
class FunctionState {
 public:
  /// Calls the C++ function of such a state with so many tensors as there are.
  using Body = std::vector<Tensor> (*)(FunctionState&, const std::vector<Tensor>&);

  explicit FunctionState(PassOptions options) : options_(std::move(options)) {}
  virtual ~FunctionState() = default;
  /// The graphs of calls with so many inputs.
  Traces& traces(size_t inputs, Body body) {
    Group* group = latest_.load(std::memory_order_acquire);
    return group != nullptr && group->inputs == inputs ? group->traces : find(inputs, body);
  }
  size_t trace_count();

 private:
  struct Group {
    size_t inputs;
    Traces traces;
    Group(size_t inputs, TracedFunction function, const PassOptions& options)
        : inputs(inputs), traces(std::move(function), options) {}
  };
  Traces& find(size_t inputs, Body body);

  PassOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::atomic<Group*> latest_ = nullptr;  // that of the last call
};

}  // namespace graph

/// A function that is traced when it is first called with tensors of some dtypes and shapes, and
/// from then on runs compiled. Copies share their traces.
template <class F>
class Function {
  template <class T>
  using TensorFor = std::conditional_t<true, Tensor, T>;
  template <class... T>
  using ResultOf = std::invoke_result_t<F&, const TensorFor<T>&...>;

 public:
  explicit Function(F f, graph::PassOptions options = {})
      : state_(std::unique_ptr<graph::FunctionState>(new State(std::move(f), std::move(options)))) {
  }

  template <class... T>
    requires std::invocable<F&, const TensorFor<T>&...>
  auto operator()(const T&... inputs) const {
    using R = ResultOf<T...>;
    static_assert(graph::kIsResult<R>,
                  "a compiled function returns a Tensor, a std::vector<Tensor>, a std::tuple or "
                  "std::pair of Tensors, or nothing");
    return graph::from_tensors<R>(
        traces<T...>().call(graph::refs({graph::Argument(inputs).tensor...})));
  }

  /// The graph that it runs for inputs like these.
  template <class... T>
  const graph::Graph& get_concrete_function(const T&... inputs) const {
    return traces<T...>().graph(graph::refs({graph::Argument(inputs).tensor...}));
  }
  /// How often it was traced.
  size_t trace_count() const { return state_->trace_count(); }

 private:
  struct State : graph::FunctionState {
    State(F f, graph::PassOptions options)
        : FunctionState(std::move(options)), function(std::move(f)) {}
    F function;
  };

  template <class... T>
  graph::Traces& traces() const {
    return state_->traces(
        sizeof...(T), [](graph::FunctionState& state, const std::vector<Tensor>& inputs) {
          F& f = static_cast<State&>(state).function;
          return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) -> std::vector<Tensor> {
            if constexpr (std::is_void_v<ResultOf<T...>>) {
              f(inputs[kIndex]...);
              return {};
            } else {
              return graph::as_tensors<ResultOf<T...>>(f(inputs[kIndex]...));
            }
          }(std::make_index_sequence<sizeof...(T)>());
        });
  }

  std::shared_ptr<graph::FunctionState> state_;
};

/// Compiles a function of tensors, as tf.function does. It returns a tensor, several (a
/// std::vector, std::tuple or std::pair of them), or nothing.
///   auto step = function([&](const Tensor& x, const Tensor& y) { …; return loss; });
///   step(x, y)
/// Passes of the compiler can be left out, to find out what they do:
///   function(f, {.without = {"fuse_elementwise"}})
template <class F>
Function<F> function(F f, graph::PassOptions options = {}) {
  return Function<F>(std::move(f), std::move(options));
}

}  // namespace alula
