#pragma once
#include "alula/ops/atan.h"

namespace alula {

namespace scalar {
template <class T>
T atan2(T y, T x) {
  constexpr double kPi = 3.1415926535897931, kPiOver2 = 1.5707963267948966;
  const T high = abs(y), wide = abs(x);
  const T least = min(high, wide), most = max(high, wide);
  // Two infinities are equal, and so are two zeros, whose quotients would be NaN.
  const T ratio = select(most == 0, 0, select(least == most, 1, least / most));
  const T part = atan_of_unit(ratio);
  const T upright = select(high > wide, kPiOver2 - part, part);
  const T value = select(x < 0 || (x == 0 && 1 / x < 0), kPi - upright, upright);
  return select(y < 0 || (y == 0 && 1 / y < 0), -value, value);
}
template <class T>
T atan2_gradient_y(T y, T x, T /*angle*/, T dy) {
  return dy * (x / (x * x + y * y));
}
template <class T>
T atan2_gradient_x(T y, T x, T /*angle*/, T dy) {
  return -dy * (y / (x * x + y * y));
}
}  // namespace scalar

/// The angle of the point (x, y), elementwise with broadcasting: between -pi and pi. Floating
/// types.
///   atan2({1.f, 0.f}, {1.f, -1.f})  ->  {0.7853982, 3.1415927}
inline constinit const Elementwise atan2{
    "atan2",
    &scalar::atan2<Scalar>,
    kFloating,
    {.gradient = {&scalar::atan2_gradient_y<Scalar>, &scalar::atan2_gradient_x<Scalar>}}};

}  // namespace alula
