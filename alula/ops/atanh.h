#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T atanh(T x) {
  const T size = abs(x);
  const T value = 0.5 * log1p(2 * size / (1 - size));
  return select(x < 0, -value, value);
}
template <class T>
T atanh_gradient(T x, T /*y*/, T dy) {
  return dy / ((1 - x) * (1 + x));
}
}  // namespace scalar

/// The inverse of tanh, elementwise; NaN outside of [-1, 1]. Floating types.
///   atanh({0.f, 0.5f})  ->  {0, 0.54930615}
inline constinit const Elementwise atanh{
    "atanh", &scalar::atanh<Scalar>, kFloating, {.gradient = &scalar::atanh_gradient<Scalar>}};

}  // namespace alula
