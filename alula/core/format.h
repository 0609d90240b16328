#pragma once
#include <string_view>

#include <fmt/format.h>

namespace alula {

/// Lets messages take a T that has a `to_string`: it is only called when a message is made.
///   template <> struct fmt::formatter<alula::Shape> : alula::TextFormatter<alula::Shape> {};
template <class T>
struct TextFormatter : fmt::formatter<std::string_view> {
  auto format(const T& value, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(value), context);
  }
};

}  // namespace alula
