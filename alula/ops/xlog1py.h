#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T xlog1py(T x, T y) {
  return select(x == 0, 0, x * log1p(y));
}
/// No logarithm and no quotient is taken where x is 0: it would give NaN when differentiated again.
template <class T>
T xlog1py_gradient_x(T x, T y, T /*result*/, T dy) {
  return dy * log1p(select(x == 0, 0, y));
}
template <class T>
T xlog1py_gradient_y(T x, T y, T /*result*/, T dy) {
  return dy * (x / (select(x == 0, 0, y) + 1));
}
}  // namespace scalar

/// x * log1p(y), elementwise with broadcasting; 0 where x is 0, whatever y is. Floating types.
///   xlog1py({0.f, 2.f}, {-1.f, 0.f})  ->  {0, 0}
inline constinit const Elementwise xlog1py{
    "xlog1py",
    &scalar::xlog1py<Scalar>,
    kFloating,
    {.gradient = {&scalar::xlog1py_gradient_x<Scalar>, &scalar::xlog1py_gradient_y<Scalar>}}};

}  // namespace alula
