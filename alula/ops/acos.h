#pragma once
#include "alula/ops/atan.h"

namespace alula {

namespace scalar {
template <class T>
T acos(T x) {
  return 2 * atan(sqrt((1 - x) / (1 + x)));
}
template <class T>
T acos_gradient(T x, T /*y*/, T dy) {
  return -dy / sqrt((1 - x) * (1 + x));
}
}  // namespace scalar

/// The angle whose cosine is x, elementwise; NaN outside of [-1, 1]. Floating types.
///   acos({0.f, 1.f})  ->  {1.5707964, 0}
inline constinit const Elementwise acos{
    "acos", &scalar::acos<Scalar>, kFloating, {.gradient = &scalar::acos_gradient<Scalar>}};

}  // namespace alula
