#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T rsqrt(T x) {
  return 1 / sqrt(x);
}

template <class T>
T rsqrt_gradient(T /*x*/, T y, T dy) {
  return -0.5 * dy * (y * y * y);
}
}  // namespace scalar

/// 1 / sqrt(x), elementwise. Floating types.
///   rsqrt({4.f, 16.f})  ->  {0.5, 0.25}
inline constinit const Elementwise rsqrt{
    "rsqrt", &scalar::rsqrt<Scalar>, kFloating, {.gradient = &scalar::rsqrt_gradient<Scalar>}};

}  // namespace alula
