#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T divide_no_nan(T a, T b) {
  return select(b == 0, 0, a / b);
}

/// Nothing is divided by 0 on the way, where differentiating again would give NaN.
template <class T>
T divide_no_nan_gradient_a(T /*a*/, T b, T /*y*/, T dy) {
  return select(b == 0, 0, dy / select(b == 0, 1, b));
}

template <class T>
T divide_no_nan_gradient_b(T /*a*/, T b, T y, T dy) {
  return -(dy * y / select(b == 0, 1, b));
}
}  // namespace scalar

/// a / b, elementwise with broadcasting; 0 where b is 0. Floating types.
///   divide_no_nan({1.f, 1.f}, {2.f, 0.f})  ->  {0.5, 0}
inline constinit const Elementwise divide_no_nan{
    "divide_no_nan",
    &scalar::divide_no_nan<Scalar>,
    kFloating,
    {.gradient = {&scalar::divide_no_nan_gradient_a<Scalar>,
                  &scalar::divide_no_nan_gradient_b<Scalar>}}};

}  // namespace alula
