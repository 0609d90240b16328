#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
/// Of large x it is log(2 x): there x * x would overflow.
template <class T>
T asinh(T x) {
  constexpr double kLarge = 1e4, kLog2 = 0.69314718055994530942;
  const T size = abs(x);
  const T near = min(size, kLarge);
  const T value = select(size > kLarge, log(size) + kLog2,
                         log1p(near + near * near / (1 + sqrt(near * near + 1))));
  return select(x < 0, -value, value);
}
template <class T>
T asinh_gradient(T x, T /*y*/, T dy) {
  return dy / sqrt(x * x + 1);
}
}  // namespace scalar

/// The inverse of sinh, elementwise. Floating types.
///   asinh({0.f, 1.f})  ->  {0, 0.8813736}
inline constinit const Elementwise asinh{
    "asinh", &scalar::asinh<Scalar>, kFloating, {.gradient = &scalar::asinh_gradient<Scalar>}};

}  // namespace alula
