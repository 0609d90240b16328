#pragma once
#include "alula/ops/atan.h"

namespace alula {

namespace scalar {
template <class T>
T asin(T x) {
  return 2 * atan(x / (1 + sqrt((1 - x) * (1 + x))));
}
template <class T>
T asin_gradient(T x, T /*y*/, T dy) {
  return dy / sqrt((1 - x) * (1 + x));
}
}  // namespace scalar

/// The angle whose sine is x, elementwise; NaN outside of [-1, 1]. Floating types.
///   asin({0.f, 1.f})  ->  {0, 1.5707964}
inline constinit const Elementwise asin{
    "asin", &scalar::asin<Scalar>, kFloating, {.gradient = &scalar::asin_gradient<Scalar>}};

}  // namespace alula
