#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T xdivy(T x, T y) {
  return select(x == 0, 0, x / y);
}
/// Nothing is divided where x is 0: it would give NaN when differentiated again.
template <class T>
T xdivy_gradient_x(T x, T y, T /*result*/, T dy) {
  return select(x == 0, 0, dy / select(x == 0, 1, y));
}
template <class T>
T xdivy_gradient_y(T x, T y, T /*result*/, T dy) {
  const T divisor = select(x == 0, 1, y);
  return -dy * (x / divisor / divisor);
}
}  // namespace scalar

/// x / y, elementwise with broadcasting; 0 where x is 0, whatever y is. Floating types.
///   xdivy({0.f, 2.f}, {0.f, 4.f})  ->  {0, 0.5}
inline constinit const Elementwise xdivy{
    "xdivy",
    &scalar::xdivy<Scalar>,
    kFloating,
    {.gradient = {&scalar::xdivy_gradient_x<Scalar>, &scalar::xdivy_gradient_y<Scalar>}}};

}  // namespace alula
