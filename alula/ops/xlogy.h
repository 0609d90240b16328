#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T xlogy(T x, T y) {
  return select(x == 0, 0, x * log(y));
}

/// No logarithm and no quotient is taken where x is 0: it would give NaN when differentiated again.
template <class T>
T xlogy_gradient_x(T x, T y, T /*result*/, T dy) {
  return dy * log(select(x == 0, 1, y));
}

template <class T>
T xlogy_gradient_y(T x, T y, T /*result*/, T dy) {
  return dy * (x / select(x == 0, 1, y));
}
}  // namespace scalar

/// x * log(y), elementwise with broadcasting; 0 where x is 0, whatever y is. Floating types.
///   xlogy({0.f, 2.f}, {0.f, 1.f})  ->  {0, 0}
inline constinit const Elementwise xlogy{
    "xlogy",
    &scalar::xlogy<Scalar>,
    kFloating,
    {.gradient = {&scalar::xlogy_gradient_x<Scalar>, &scalar::xlogy_gradient_y<Scalar>}}};

}  // namespace alula
