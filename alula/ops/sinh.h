#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
/// By exp(x / 2), whose square does not overflow before the result does; small x by expm1.
template <class T>
T sinh(T x) {
  const T size = abs(x);
  const T small = expm1(size);
  const T half = exp(size * 0.5);
  const T value =
      select(size < 1, (small + small / (small + 1)) * 0.5, half * 0.5 * half - 0.5 / half / half);
  return select(x < 0, -value, value);
}
template <class T>
T sinh_gradient(T x, T /*y*/, T dy) {
  const T half = exp(abs(x) * 0.5);
  return dy * (half * 0.5 * half + 0.5 / half / half);
}
}  // namespace scalar

/// The hyperbolic sine, elementwise. Floating types.
///   sinh({0.f, 1.f})  ->  {0, 1.1752012}
inline constinit const Elementwise sinh{
    "sinh", &scalar::sinh<Scalar>, kFloating, {.gradient = &scalar::sinh_gradient<Scalar>}};

}  // namespace alula
