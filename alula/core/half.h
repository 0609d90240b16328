#pragma once
#include <bit>
#include <cstdint>
#include <limits>

namespace alula {

namespace internal {

/// IEEE binary16 to binary32: exact.
constexpr float half_to_float(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // zero or subnormal
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

/// binary32 to binary16, to nearest even; beyond the range to infinity; NaN stays NaN.
constexpr uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
  if (magnitude < 0x38800000u) {  // subnormal half: let the addition round
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(rounded) - 0x3f000000u);
  }
  const uint32_t odd = (magnitude >> 13) & 1;
  return sign | static_cast<uint16_t>((magnitude - (112u << 23) + 0xfffu + odd) >> 13);
}

constexpr float bfloat_to_float(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

/// binary32 to bfloat16, to nearest even; NaN stays NaN.
constexpr uint16_t float_to_bfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

}  // namespace internal

/// A 16-bit floating point number that computes as float. `kBFloat` chooses bfloat16.
template <bool kBFloat>
struct Float16 {
  uint16_t bits = 0;

  constexpr Float16() = default;
  constexpr Float16(float value)
      : bits(kBFloat ? internal::float_to_bfloat(value) : internal::float_to_half(value)) {}
  constexpr operator float() const {
    return kBFloat ? internal::bfloat_to_float(bits) : internal::half_to_float(bits);
  }
  static constexpr Float16 from_bits(uint16_t bits) {
    Float16 result;
    result.bits = bits;
    return result;
  }
};

/// IEEE binary16: 5 bits of exponent, 10 of mantissa.
using Half = Float16<false>;
/// bfloat16: float's exponent, 7 bits of mantissa.
using BFloat16 = Float16<true>;

}  // namespace alula

template <bool kBFloat>
class std::numeric_limits<alula::Float16<kBFloat>> {
  using F = alula::Float16<kBFloat>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_signed = true;
  static constexpr bool has_infinity = true;
  static constexpr F infinity() { return F::from_bits(kBFloat ? 0x7f80 : 0x7c00); }
  static constexpr F quiet_NaN() { return F::from_bits(kBFloat ? 0x7fc0 : 0x7e00); }
  static constexpr F max() { return F::from_bits(kBFloat ? 0x7f7f : 0x7bff); }
  static constexpr F lowest() { return F::from_bits(kBFloat ? 0xff7f : 0xfbff); }
  static constexpr F min() { return F::from_bits(kBFloat ? 0x0080 : 0x0400); }
  static constexpr F epsilon() { return F::from_bits(kBFloat ? 0x3c00 : 0x1400); }
};
