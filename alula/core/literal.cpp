#include "alula/core/literal.h"

#include <limits>

namespace alula {

bool Number::fits(DType dtype) const {
  if (dtype == string) return false;
  if (dtype == boolean) return kind_ == Kind::kBool;
  if (kind_ == Kind::kBool) return false;
  if (is_floating(dtype)) return true;
  if (kind_ == Kind::kFloating) return false;
  return with_type(dtype, [&]<class T>(Type<T>) {
    if constexpr (!std::integral<T> || std::same_as<T, bool>) {
      return false;
    } else {
      if (above_int64_) return std::same_as<T, uint64_t>;
      if (integer_ < 0 && std::unsigned_integral<T>) return false;
      return sizeof(T) == 8 || (integer_ >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
                                integer_ <= static_cast<int64_t>(std::numeric_limits<T>::max()));
    }
  });
}

void Number::store(DType dtype, void* element) const {
  with_type(dtype, [&]<class T>(Type<T>) {
    if constexpr (std::integral<T>)
      *static_cast<T*>(element) = static_cast<T>(integer_);
    else
      *static_cast<T*>(element) = static_cast<T>(as_double());
  });
}

std::string to_string(const Number& number) {
  if (number.kind() == Number::Kind::kFloating) return fmt::format("{}", number.as_double());
  if (number.kind() == Number::Kind::kBool) return number.as_integer() != 0 ? "true" : "false";
  return number.is_above_int64() ? fmt::format("{}", static_cast<uint64_t>(number.as_integer()))
                                 : fmt::format("{}", number.as_integer());
}

}  // namespace alula
