#include "alula/core/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace alula {
namespace {

/// "-1.25e+03" in parts.
Decimal parse_scientific(std::string_view text) {
  Decimal decimal;
  if (text.front() == '-') {
    decimal.negative = true;
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  for (char c : text.substr(0, e))
    if (c != '.') decimal.digits += c;
  // The sign of an exponent may be a plus, which from_chars does not take.
  const char* exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(exponent, text.data() + text.size(), decimal.point);
  decimal.digits.erase(std::max<size_t>(1, decimal.digits.find_last_not_of('0') + 1));
  ++decimal.point;
  return decimal;
}

using Text = std::array<char, 512>;  // the largest double has 309 digits

template <class T, class... Precision>
Decimal scientific(T value, Precision... precision) {
  Text text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::scientific, precision...);
  return parse_scientific({text.data(), end.ptr});
}

double to_double(const Decimal& decimal) {
  const std::string text = fmt::format("0.{}e{}", decimal.digits, decimal.point);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The numbers that round to a positive 16-bit one.
struct Interval {
  double low, high;
  bool closed;  // the ends round to the even neighbour

  template <class F>
  static Interval of(F value) {
    const auto at = [](int bits) {
      return static_cast<double>(F::from_bits(static_cast<uint16_t>(bits)));
    };
    const double x = at(value.bits), below = at(value.bits - 1);
    const bool largest = value.bits == std::numeric_limits<F>::max().bits;
    const double above = largest ? x + (x - below) : at(value.bits + 1);
    return {(below + x) / 2, (x + above) / 2, value.bits % 2 == 0};
  }
  bool contains(double x) const {
    return (x > low && x < high) || (closed && (x == low || x == high));
  }
};

/// Adds one unit to the last digit.
Decimal next_up(Decimal decimal) {
  size_t i = decimal.digits.size();
  while (i > 0 && decimal.digits[i - 1] == '9') decimal.digits[--i] = '0';
  if (i > 0) {
    ++decimal.digits[i - 1];
  } else {
    decimal.digits.insert(0, 1, '1');
    ++decimal.point;
  }
  return decimal;
}

/// Whether the first of the digits after `count` round down, a tie to the even digit.
bool rounds_down(std::string_view digits, size_t count) {
  if (count >= digits.size()) return true;
  const std::string_view rest = digits.substr(count);
  return rest < "5" || (rest == "5" && (digits[count - 1] - '0') % 2 == 0);
}

/// Tries one digit, two, … : of the two decimals beside the value, the nearer that is in the
/// interval.
template <class F>
Decimal shortest_half(F value) {
  const F magnitude = F::from_bits(value.bits & 0x7fff);
  if (magnitude.bits == 0) return {.negative = value.bits != 0, .digits = "0", .point = 1};
  const Interval interval = Interval::of(magnitude);
  const Decimal exact = scientific(static_cast<double>(magnitude));
  for (size_t count = 1;; ++count) {
    Decimal down = exact;
    if (count < exact.digits.size()) down.digits.resize(count);
    const Decimal up = next_up(down);
    const bool takes_down = interval.contains(to_double(down));
    const bool takes_up = interval.contains(to_double(up));
    if (!takes_down && !takes_up) continue;
    Decimal best = !takes_up || (takes_down && rounds_down(exact.digits, count)) ? down : up;
    best.negative = magnitude.bits != value.bits;
    best.digits.erase(best.digits.find_last_not_of('0') + 1);
    return best;
  }
}

/// All the digits: "120.", "1.5", "0.025".
std::string all_positional(const Decimal& decimal) {
  const auto& [negative, digits, point] = decimal;
  const int count = static_cast<int>(digits.size());
  const char* sign = negative ? "-" : "";
  if (point <= 0) return fmt::format("{}0.{:0>{}}", sign, digits, count - point);
  if (point >= count) return fmt::format("{}{:0<{}}.", sign, digits, point);
  const std::string_view all = digits;
  return fmt::format("{}{}.{}", sign, all.substr(0, point), all.substr(point));
}

std::string all_scientific(const Decimal& decimal) {
  const std::string_view digits = decimal.digits;
  return fmt::format("{}{}.{}e{}{:02}", decimal.negative ? "-" : "", digits[0], digits.substr(1),
                     decimal.point < 1 ? '-' : '+', std::abs(decimal.point - 1));
}

}  // namespace

Decimal shortest(double value, DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return shortest_half(Half(static_cast<float>(value)));
    case DType::kBFloat16: return shortest_half(BFloat16(static_cast<float>(value)));
    case DType::kFloat32: return scientific(static_cast<float>(value));
    default: return scientific(value);
  }
}

std::string to_positional(const Decimal& decimal, double value) {
  const int fraction = static_cast<int>(decimal.digits.size()) - decimal.point;
  if (fraction >= 0 && fraction <= kPrecision) return all_positional(decimal);
  Text text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, kPrecision);
  std::string result(text.data(), end.ptr);
  return result.erase(result.find_last_not_of('0') + 1);
}

std::string to_scientific(const Decimal& decimal, double value) {
  const int fraction = static_cast<int>(decimal.digits.size()) - 1;
  return all_scientific(fraction <= kPrecision ? decimal : scientific(value, kPrecision));
}

std::string to_scientific(const Decimal& decimal, double value, int fraction) {
  const int has = static_cast<int>(decimal.digits.size()) - 1;
  Decimal exact = has == fraction ? decimal : scientific(value, fraction);
  exact.digits.resize(fraction + 1, '0');
  return all_scientific(exact);
}

std::string scalar_to_string(double value, DType dtype) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const Decimal decimal = shortest(value, dtype);
  const double magnitude = std::abs(value);
  if (magnitude == 0 || (magnitude < 1e16 && magnitude >= 1e-4)) {
    std::string text = all_positional(decimal);
    if (text.back() == '.') text += '0';
    return text;
  }
  std::string text = all_scientific(decimal);
  const size_t bare = text.find(".e");
  return bare == text.npos ? text : text.erase(bare, 1);
}

}  // namespace alula
