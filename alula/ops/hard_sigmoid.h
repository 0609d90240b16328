#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T hard_sigmoid(T x) {
  return min(max(x + 3, 0), 6) * (1.0 / 6);
}

template <class T>
T hard_sigmoid_gradient(T x, T /*y*/, T dy) {
  return select(x > -3 && x < 3, dy * (1.0 / 6), 0);
}
}  // namespace scalar

/// Keras's cheap sigmoid: 0 below -3, 1 above 3, a line between, elementwise. Floating types.
///   hard_sigmoid({-4.f, 0.f, 1.5f})  ->  {0, 0.5, 0.75}
inline constinit const Elementwise hard_sigmoid{
    "hard_sigmoid",
    &scalar::hard_sigmoid<Scalar>,
    kFloating,
    {.gradient = &scalar::hard_sigmoid_gradient<Scalar>}};

}  // namespace alula
