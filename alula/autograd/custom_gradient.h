#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "alula/runtime/dispatch.h"

namespace alula {

/// What a function under `custom_gradient` returns: its value, a Tensor or a std::vector<Tensor>,
/// and how its gradient is computed.
template <class Value, class Gradient>
struct WithGradient {
  Value value;
  Gradient gradient;
};

namespace internal {

/// The gradients with respect to the inputs, from those with respect to the outputs.
using GradientFunction = std::function<std::vector<Tensor>(std::span<const Tensor> dy)>;

struct ValuesWithGradient {
  std::vector<Tensor> values;
  GradientFunction gradient;
};

using CustomFunction = std::function<ValuesWithGradient(std::span<const Tensor> inputs)>;

/// Runs the function, and has its gradient recorded instead of how its values came about.
std::vector<Tensor> run_custom(const CustomFunction& f, std::span<const Tensor> inputs);

inline std::vector<Tensor> as_list(Tensor tensor) { return {std::move(tensor)}; }
inline std::vector<Tensor> as_list(std::vector<Tensor> tensors) { return tensors; }

template <class Gradient>
ValuesWithGradient without_type(WithGradient<Tensor, Gradient> result) {
  return {{std::move(result.value)},
          [gradient = std::move(result.gradient)](std::span<const Tensor> dy) {
            return as_list(gradient(dy[0]));
          }};
}
template <class Gradient>
ValuesWithGradient without_type(WithGradient<std::vector<Tensor>, Gradient> result) {
  return {std::move(result.value),
          [gradient = std::move(result.gradient)](std::span<const Tensor> dy) {
            return as_list(gradient(std::vector<Tensor>(dy.begin(), dy.end())));
          }};
}

}  // namespace internal

/// A function of tensors whose gradient is given beside it.
template <class F>
class CustomGradient {
 public:
  explicit CustomGradient(F f) : f_(std::make_shared<const F>(std::move(f))) {}

  /// A Tensor, or a std::vector<Tensor> if the function gives several.
  template <std::convertible_to<Tensor>... T>
    requires(sizeof...(T) > 0)
  auto operator()(const T&... inputs) const {
    const Tensor tensors[] = {inputs...};
    return run(tensors, std::index_sequence_for<T...>());
  }

 private:
  template <size_t... kIndex>
  auto run(std::span<const Tensor> inputs, std::index_sequence<kIndex...>) const {
    using Value = decltype((*f_)(inputs[kIndex]...).value);
    std::vector<Tensor> values = internal::run_custom(
        [f = f_](std::span<const Tensor> in) {
          return internal::without_type((*f)(in[kIndex]...));
        },
        inputs);
    if constexpr (std::same_as<Value, Tensor>)
      return std::move(values[0]);
    else
      return values;
  }

  std::shared_ptr<const F> f_;
};

/// Makes a function of one or more tensors differentiable by a rule of one's own: because it is
/// stabler or faster than what the tape would find, or because there would be none.
///   auto log1pexp = custom_gradient([](const Tensor& x) {
///     const Tensor e = exp(x);
///     return WithGradient{log(1 + e), [e](const Tensor& dy) { return dy * (1 - 1 / (1 + e)); }};
///   });
///   Tensor y = log1pexp(x);      // its gradient is finite where exp(x) is not
/// The rule takes the gradient with respect to the value (a std::vector<Tensor> where there are
/// several, with an undefined tensor for one that is not of a floating type) and gives the one with
/// respect to the input: a Tensor, or a std::vector<Tensor> with one for each of several inputs,
/// undefined where there is none.
///
/// What the rule captures is recorded as usual, so that gradients of second order flow through it.
/// A variable that the function reads, rather than takes as an input, gets no gradient through it.
template <class F>
CustomGradient<F> custom_gradient(F f) {
  return CustomGradient<F>(std::move(f));
}

}  // namespace alula
