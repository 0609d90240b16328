#pragma once
#include <functional>
#include <tuple>

#include "alula/data/element.h"
#include "alula/graph/function.h"

/// How a user's function is called with an element: with its tensors if it takes tensors, or as a
/// whole.
namespace alula::data {

using ElementFunction = std::function<Element(const Element&)>;
using DatasetFunction = std::function<Dataset(const Element&)>;

namespace internal {

/// A function may take so many tensors.
inline constexpr size_t kMostArguments = 8;

/// The parameters of a function or of a lambda that is not generic.
template <class F>
struct Parameters;
template <class R, class... A>
struct Parameters<R(A...)> {
  static constexpr bool kElement =
      sizeof...(A) == 1 && (std::same_as<std::remove_cvref_t<A>, Element> && ...);
};
template <class R, class C, class... A>
struct Parameters<R (C::*)(A...)> : Parameters<R(A...)> {};
template <class R, class C, class... A>
struct Parameters<R (C::*)(A...) const> : Parameters<R(A...)> {};
template <class R, class... A>
struct Parameters<R(A...) noexcept> : Parameters<R(A...)> {};
template <class R, class C, class... A>
struct Parameters<R (C::*)(A...) noexcept> : Parameters<R(A...)> {};
template <class R, class C, class... A>
struct Parameters<R (C::*)(A...) const noexcept> : Parameters<R(A...)> {};

template <class F>
constexpr bool takes_element() {
  if constexpr (requires { &F::operator(); })
    return Parameters<decltype(&F::operator())>::kElement;
  else if constexpr (std::is_function_v<std::remove_pointer_t<F>>)
    return Parameters<std::remove_pointer_t<F>>::kElement;
  else
    return false;  // a generic lambda gets tensors
}

template <size_t kCount, class F>
constexpr bool takes_tensors() {
  return []<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::invocable<F&, std::tuple_element_t<kIndex, std::array<const Tensor, kCount>>&...>;
  }(std::make_index_sequence<kCount>());
}

/// Calls `f` with as many tensors as an element has. `convert` makes something of what it returns.
template <size_t kCount, class R, class F, class Convert>
R call_with_tensors(F& f, const std::vector<Tensor>& tensors, const Convert& convert) {
  if constexpr (kCount > kMostArguments) {
    fail("the function cannot take the {} tensors of an element. Let it take a data::Element.",
         tensors.size());
  } else {
    if constexpr (takes_tensors<kCount, F>())
      if (tensors.size() == kCount)
        return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
          return convert(f(tensors[kIndex]...));
        }(std::make_index_sequence<kCount>());
    return call_with_tensors<kCount + 1, R>(f, tensors, convert);
  }
}

inline void check_flat(const Element& element) {
  for (const Structure& item : element.structure().items)
    require(item.kind == Structure::Kind::kTensor,
            "the function takes tensors, but the elements nest. Got {}. Let it take a "
            "data::Element.",
            element.spec());
}

template <class R, class F, class Convert>
std::function<R(const Element&)> as_function(F f, Convert convert) {
  return [f = std::move(f), convert](const Element& element) mutable -> R {
    if constexpr (takes_element<F>()) {
      return convert(f(element));
    } else {
      check_flat(element);
      return call_with_tensors<1, R>(f, element.tensors(), convert);
    }
  };
}

inline Element as_element(const Element& element) { return element; }
inline Element as_element(const Tensor& tensor) { return tensor; }
template <class... T>
Element as_element(const std::tuple<T...>& items) {
  return std::apply([](const auto&... item) { return Element::tuple({as_element(item)...}); },
                    items);
}
template <class A, class B>
Element as_element(const std::pair<A, B>& items) {
  return Element::tuple({as_element(items.first), as_element(items.second)});
}
inline Element as_element(const std::vector<Tensor>& items) {
  return Element::tuple({items.begin(), items.end()});
}

}  // namespace internal

template <class F>
ElementFunction as_element_function(F f) {
  return internal::as_function<Element>(
      std::move(f), [](const auto& result) { return internal::as_element(result); });
}

template <class F>
DatasetFunction as_dataset_function(F f) {
  return internal::as_function<Dataset>(std::move(f), [](const auto& result) { return result; });
}

}  // namespace alula::data
