#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
/// Of large x it is log(2 x): there x * x would overflow.
template <class T>
T acosh(T x) {
  constexpr double kLarge = 1e4, kLog2 = 0.69314718055994530942;
  const T above = min(x, kLarge) - 1;
  return select(x > kLarge, log(x) + kLog2, log1p(above + sqrt(above * (above + 2))));
}
template <class T>
T acosh_gradient(T x, T /*y*/, T dy) {
  return dy / sqrt((x - 1) * (x + 1));
}
}  // namespace scalar

/// The inverse of cosh, elementwise; NaN below 1. Floating types.
///   acosh({1.f, 2.f})  ->  {0, 1.316958}
inline constinit const Elementwise acosh{
    "acosh", &scalar::acosh<Scalar>, kFloating, {.gradient = &scalar::acosh_gradient<Scalar>}};

}  // namespace alula
