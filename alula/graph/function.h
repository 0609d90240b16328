#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "alula/graph/compiled.h"
#include "alula/graph/trace.h"
#include "alula/graph/trial.h"

namespace alula {

namespace graph {

/// Where a function runs that is called with these inputs: where the scope says, else where they
/// are.
Device place_of(TensorRefs inputs);

/// The graphs of one function, one a signature: the dtypes and shapes of what it is called with,
/// and the device.
class Traces {
 public:
  /// `name` is who speaks in warnings.
  explicit Traces(TracedFunction function, PassOptions options = {}, std::string name = "function")
      : function_(std::move(function)), options_(std::move(options)), name_(std::move(name)) {}
  Tensors call(TensorRefs inputs);
  /// Runs what there is for inputs like these, where they are or the scope says; else where it is
  /// faster.
  Tensors run(TensorRefs inputs);
  /// The graph that runs for inputs like these, traced if need be.
  const Graph& graph(TensorRefs inputs) { return find(inputs).graph(); }
  /// What runs for them. It stays as long as this does.
  Compiled& find(TensorRefs inputs);
  size_t count() const { return traces_.size(); }

 private:
  struct Trace {
    std::vector<Spec> signature;
    Device device;
    std::unique_ptr<Compiled> compiled;
    Trial trial;                          // of one for the CPU
    std::atomic<bool> is_settled = true;  // it runs where it was made for
    bool fits(TensorRefs inputs, Device on) const;
  };

  Trace& find_trace(TensorRefs inputs, Device device);
  Trace& find_or_trace(TensorRefs inputs, Device device);
  Tensors run_on_trial(Trace& trace, TensorRefs inputs);
  void warn_of_many(const std::vector<Spec>& signature);

  TracedFunction function_;
  PassOptions options_;
  std::string name_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Trace>> traces_;
  std::atomic<Trace*> latest_ = nullptr;  // the one that the last call used
  bool warned_ = false;
  std::mutex trial_mutex_;  // held by the run that is timed
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

/// Calls f with what arguments are as tensors: tensors themselves are not copied.
template <class F, class... T>
auto with_tensors(const F& f, const T&... arguments) {
  [[maybe_unused]] const auto as_tensor = []<class A>(const A& argument) -> decltype(auto) {
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
      : state_(std::make_shared<State>(std::move(f), std::move(options))) {}

  template <class... T>
    requires std::invocable<F&, const std::conditional_t<true, Tensor, T>&...>
  auto operator()(const T&... inputs) const {
    using R = std::invoke_result_t<F&, const std::conditional_t<true, Tensor, T>&...>;
    static_assert(graph::kIsResult<R>,
                  "a compiled function returns a Tensor, a std::vector<Tensor>, a std::tuple or "
                  "std::pair of Tensors, or nothing");
    graph::Traces& traces = this->traces<sizeof...(T), R>();
    return graph::from_tensors<R>(
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
  size_t trace_count() const {
    const std::lock_guard lock(state_->mutex);
    size_t count = 0;
    for (const auto& group : state_->groups) count += group->traces.count();
    return count;
  }

 private:
  /// The traces of calls with so many inputs.
  struct Group {
    size_t inputs;
    graph::Traces traces;
    Group(size_t inputs, graph::TracedFunction function, const graph::PassOptions& options)
        : inputs(inputs), traces(std::move(function), options) {}
  };
  struct State {
    State(F f, graph::PassOptions options) : function(std::move(f)), options(std::move(options)) {}
    F function;
    graph::PassOptions options;
    std::mutex mutex;
    std::vector<std::unique_ptr<Group>> groups;
    std::atomic<Group*> latest = nullptr;  // that of the last call
  };

  template <size_t kCount, class R>
  graph::Traces& traces() const {
    Group* group = state_->latest.load(std::memory_order_acquire);
    if (group == nullptr || group->inputs != kCount) group = &find_group<kCount, R>();
    return group->traces;
  }

  template <size_t kCount, class R>
  Group& find_group() const {
    const std::lock_guard lock(state_->mutex);
    auto& groups = state_->groups;
    auto found = std::find_if(groups.begin(), groups.end(),
                              [](const auto& group) { return group->inputs == kCount; });
    if (found == groups.end()) {
      const auto call = [state = state_.get()](const std::vector<Tensor>& inputs) {
        return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) -> std::vector<Tensor> {
          if constexpr (std::is_void_v<R>) {
            state->function(inputs[kIndex]...);
            return {};
          } else {
            return graph::as_tensors<R>(state->function(inputs[kIndex]...));
          }
        }(std::make_index_sequence<kCount>());
      };
      groups.push_back(std::make_unique<Group>(kCount, call, state_->options));
      found = groups.end() - 1;
    }
    state_->latest.store(found->get(), std::memory_order_release);
    return **found;
  }

  std::shared_ptr<State> state_;
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
