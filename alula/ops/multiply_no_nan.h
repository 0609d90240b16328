#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T multiply_no_nan(T a, T b) {
  return select(b == 0, 0, a * b);
}
template <class T>
T multiply_no_nan_gradient_a(T /*a*/, T b, T /*y*/, T dy) {
  return select(b == 0, 0, dy * b);
}
template <class T>
T multiply_no_nan_gradient_b(T a, T /*b*/, T /*y*/, T dy) {
  return select(dy == 0, 0, dy * a);
}
}  // namespace scalar

/// a * b, elementwise with broadcasting; 0 where b is 0, whatever a is. Floating types.
///   multiply_no_nan({INFINITY, 2.f}, {0.f, 3.f})  ->  {0, 6}
inline constinit const Elementwise multiply_no_nan{
    "multiply_no_nan",
    &scalar::multiply_no_nan<Scalar>,
    kFloating,
    {.gradient = {&scalar::multiply_no_nan_gradient_a<Scalar>,
                  &scalar::multiply_no_nan_gradient_b<Scalar>}}};

}  // namespace alula
