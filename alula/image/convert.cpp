#include "alula/image/convert.h"

#include <cmath>

#include "alula/ops/cast.h"
#include "alula/ops/clip.h"
#include "alula/ops/floordiv.h"
#include "alula/ops/mul.h"

namespace alula::image {
namespace {

constexpr const char* kName = "convert_image_dtype";

/// The bits of an integer type's largest value, 2^bits - 1.
int bits_of(DType dtype) {
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  return kSignedIntegers.contains(dtype) ? bits - 1 : bits;
}

struct Floating {
  int digits;  // of the significand
  double largest;
};
Floating floating_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return {11, 65504};
    case DType::kBFloat16: return {8, 0x1.FEp127};
    case DType::kFloat32: return {24, 0x1.FFFFFEp127};
    default: return {53, 0x1.FFFFFFFFFFFFFp1023};
  }
}

/// The largest number of a floating type that an integer type holds, too.
double largest_common(const Floating& from, int bits) {
  const double exact =
      std::ldexp(1.0, bits) - (bits <= from.digits ? 1.0 : std::ldexp(1.0, bits - from.digits));
  return std::min(from.largest, exact);
}

/// A cast to an integer is to the nearest that fits anyway. Only where the floating type lacks the
/// integer's largest value does TensorFlow stop before it.
Tensor float_to_integer(const Tensor& image, DType dtype, bool saturate) {
  const int bits = bits_of(dtype);
  const Floating from = floating_of(image.dtype());
  Tensor scaled = mul(image, std::ldexp(1.0, bits) - 0.5);
  if (saturate && bits > from.digits) {
    const bool is_signed = kSignedIntegers.contains(dtype);
    const double low = is_signed ? std::max(-from.largest, -std::ldexp(1.0, bits)) : 0;
    scaled = clip(scaled, low, largest_common(from, bits));
  }
  return cast(scaled, dtype);
}

/// Of two integer types, the values that both hold.
Tensor clip_to_common(const Tensor& image, DType dtype) {
  const bool both_signed =
      kSignedIntegers.contains(image.dtype()) && kSignedIntegers.contains(dtype);
  const int from = bits_of(image.dtype()), bits = std::min(from, bits_of(dtype));
  const uint64_t high = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const int64_t low = both_signed ? -static_cast<int64_t>(high) - 1 : 0;
  return clip(image, low, high);
}

Tensor integer_to_integer(const Tensor& image, DType dtype, bool saturate) {
  const int from = bits_of(image.dtype()), to = bits_of(dtype);
  const uint64_t scale = uint64_t{1} << std::abs(to - from);
  const Tensor scaled = from > to ? floordiv(image, scale) : image;
  const Tensor fitting = saturate ? clip_to_common(scaled, dtype) : scaled;
  const Tensor result = cast(fitting, dtype);
  return from < to ? mul(result, scale) : result;
}

}  // namespace

Tensor convert_image_dtype(const Tensor& image, DType dtype,
                           const ConvertImageDTypeOptions& options) {
  require(image.defined(), "{}: the image is not defined yet.", kName);
  require(kNumeric.contains(image.dtype()) && kNumeric.contains(dtype),
          "{}: takes numbers. Got {}, to become {}.", kName, image.spec(), dtype);
  if (dtype == image.dtype()) return image;
  const bool from_float = is_floating(image.dtype());
  if (from_float && is_floating(dtype)) return cast(image, dtype);
  if (from_float) return float_to_integer(image, dtype, options.saturate);
  if (is_floating(dtype))
    return mul(cast(image, dtype), 1 / (std::ldexp(1.0, bits_of(image.dtype())) - 1));
  return integer_to_integer(image, dtype, options.saturate);
}

}  // namespace alula::image
