#pragma once
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "alula/core/error.h"

namespace alula::keras {

/// An option that may be left unset, where Keras has None.
///   struct Options { Setting<double> clipnorm = {}; };
///   Options{.clipnorm = 1.0}.clipnorm.given()  ->  true
template <class T>
class Setting {
  /// No number loses its fraction on the way, and a bool is not a number.
  template <class U>
  static constexpr bool kFits = std::convertible_to<U, T> &&
                                (!std::is_arithmetic_v<U> || !std::is_arithmetic_v<T> ||
                                 (std::is_same_v<U, bool> == std::is_same_v<T, bool> &&
                                  (std::is_floating_point_v<T> || !std::is_floating_point_v<U>)));

 public:
  constexpr Setting() = default;
  template <class U>
    requires(!std::same_as<std::remove_cvref_t<U>, Setting> && kFits<std::remove_cvref_t<U>>)
  constexpr Setting(U&& value) : value_(static_cast<T>(std::forward<U>(value))) {}

  constexpr bool given() const { return value_.has_value(); }
  /// The value; it must be given.
  constexpr const T& value() const {
    require<FailedPreconditionError>(given(), "setting: it was left unset.");
    return *value_;
  }
  constexpr T value_or(T other) const { return value_.value_or(std::move(other)); }
  bool operator==(const Setting&) const = default;

 private:
  std::optional<T> value_;
};

}  // namespace alula::keras
