#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T sign(T x) {
  return select(x > 0, 1, select(x < 0, -1, x));
}

/// Zeros, as in TensorFlow: there is a gradient, unlike that of floor.
template <class T>
T sign_gradient(T /*x*/, T /*y*/, T dy) {
  return 0 * dy;
}
}  // namespace scalar

/// -1, 0 or 1, elementwise; NaN of NaN. Numbers.
///   sign({-3.f, 0.f, 2.f})  ->  {-1, 0, 1}
inline constinit const Elementwise sign{
    "sign", &scalar::sign<Scalar>, kNumeric, {.gradient = &scalar::sign_gradient<Scalar>}};

}  // namespace alula
