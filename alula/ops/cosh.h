#pragma once
#include "alula/ops/sinh.h"

namespace alula {

namespace scalar {
/// By exp(x / 2), whose square does not overflow before the result does.
template <class T>
T cosh(T x) {
  const T half = exp(abs(x) * 0.5);
  return half * 0.5 * half + 0.5 / half / half;
}
template <class T>
T cosh_gradient(T x, T /*y*/, T dy) {
  return dy * sinh(x);
}
}  // namespace scalar

/// The hyperbolic cosine, elementwise. Floating types.
///   cosh({0.f, 1.f})  ->  {1, 1.5430806}
inline constinit const Elementwise cosh{
    "cosh", &scalar::cosh<Scalar>, kFloating, {.gradient = &scalar::cosh_gradient<Scalar>}};

}  // namespace alula
