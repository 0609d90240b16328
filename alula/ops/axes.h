#pragma once
#include <array>
#include <bitset>
#include <concepts>
#include <initializer_list>
#include <span>
#include <vector>

#include "alula/core/shape.h"

namespace alula {

/// The axes that an op works over: one, several, or (unless set) all of them. Negative ones count
/// from the end.
///   {.axis = -1}   {.axis = {0, 2}}   {}
class Axes {
 public:
  /// All axes, however many there are.
  Axes() = default;
  template <std::integral T>
  Axes(T axis) : Axes{static_cast<int64_t>(axis)} {}
  Axes(std::initializer_list<int64_t> axes) : Axes(std::span(axes.begin(), axes.size())) {}
  /// An empty vector is no axis at all, as in TensorFlow.
  Axes(const std::vector<int64_t>& axes) : Axes(std::span<const int64_t>(axes)) {}
  explicit Axes(std::span<const int64_t> axes);

  bool all() const { return count_ < 0; }
  /// Those that were given; none if it is all of them.
  std::span<const int64_t> given() const {
    return {axes_.data(), static_cast<size_t>(all() ? 0 : count_)};
  }

  /// Which of `rank` axes are meant. An axis out of range or given twice is an error naming `who`.
  std::bitset<kMaxRank> among(const char* who, int rank) const;

 private:
  std::array<int64_t, kMaxRank> axes_{};
  int count_ = -1;
};

/// "[0,-1]", or "all".
std::string to_string(const Axes& axes);

}  // namespace alula

template <>
struct fmt::formatter<alula::Axes> : alula::TextFormatter<alula::Axes> {};
