#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "alula/core/dtype.h"

namespace alula {

/// C++ numbers that may stand beside a tensor.
template <class T>
concept Arithmetic = std::is_arithmetic_v<T> || std::same_as<T, Half> || std::same_as<T, BFloat16>;

/// A C++ number on its way to becoming an element. It takes the dtype of the tensor beside it.
class Number {
 public:
  template <Arithmetic T>
  constexpr Number(T value) : natural_(natural_dtype_of<T>()) {
    if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::kBool;
      integer_ = value;
    } else if constexpr (std::integral<T>) {
      kind_ = Kind::kInteger;
      integer_ = static_cast<int64_t>(value);
      above_int64_ = std::unsigned_integral<T> && integer_ < 0;
    } else {
      kind_ = Kind::kFloating;
      floating_ = static_cast<double>(value);
    }
  }

  enum class Kind : uint8_t { kBool, kInteger, kFloating };
  Kind kind() const { return kind_; }
  double as_double() const {
    if (kind_ == Kind::kFloating) return floating_;
    return above_int64_ ? static_cast<double>(static_cast<uint64_t>(integer_))
                        : static_cast<double>(integer_);
  }

  /// The value of an integer or a bool that int64 holds.
  int64_t as_integer() const { return integer_; }
  /// Whether it is an integer that only uint64 holds.
  bool is_above_int64() const { return above_int64_; }

  /// The dtype that a number gives a tensor made of it: that of its C++ type, so that it does not
  /// depend on the value. Only a double is float32, as TensorFlow takes 2.5.
  DType natural_dtype() const { return natural_; }
  /// Whether an element of `dtype` can hold it: 2.5 is no int32, 300 no uint8, 1 no bool.
  bool fits(DType dtype) const;
  /// Writes the value as an element of `dtype`; it must fit.
  void store(DType dtype, void* element) const;

 private:
  template <class T>
  static constexpr DType natural_dtype_of() {
    if constexpr (std::is_floating_point_v<T>)
      return float32;
    else if constexpr (std::same_as<T, bool> || !std::integral<T>)
      return dtype_of<T>;
    else  // char, long and long long have the dtype of the integer of their size
      return std::unsigned_integral<T> ? (sizeof(T) == 1   ? uint8
                                          : sizeof(T) == 2 ? uint16
                                          : sizeof(T) == 4 ? uint32
                                                           : uint64)
                                       : (sizeof(T) == 1   ? int8
                                          : sizeof(T) == 2 ? int16
                                          : sizeof(T) == 4 ? int32
                                                           : int64);
  }

  Kind kind_ = Kind::kInteger;
  DType natural_;
  bool above_int64_ = false;
  int64_t integer_ = 0;
  double floating_ = 0;
};

/// "true", "3" or "0.1", with as many digits as tell it from all others.
std::string to_string(const Number& number);

/// A value written in braces: a number, a string, or a list of such: {{1, 2}, {3, 4}}.
/// It only lives within the expression that it is written in.
class Literal {
 public:
  template <Arithmetic T>
  Literal(T value) : kind_(Kind::kNumber), number_(value) {}
  Literal(const char* text) : kind_(Kind::kText), text_(text) {}
  Literal(const std::string& text) : kind_(Kind::kText), text_(text) {}
  Literal(std::string_view text) : kind_(Kind::kText), text_(text) {}
  Literal(std::initializer_list<Literal> list) : kind_(Kind::kList), list_(list) {}

  enum class Kind : uint8_t { kNumber, kText, kList };
  Kind kind() const { return kind_; }
  Number number() const { return number_; }
  std::string_view text() const { return text_; }
  std::initializer_list<Literal> list() const { return list_; }

 private:
  Kind kind_;
  Number number_ = 0;
  std::string_view text_;
  std::initializer_list<Literal> list_;
};

}  // namespace alula

template <>
struct fmt::formatter<alula::Number> : alula::TextFormatter<alula::Number> {};
