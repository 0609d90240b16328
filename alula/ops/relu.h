#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T relu(T x) {
  return max(x, 0);
}

template <class T>
T relu_gradient(T /*x*/, T y, T dy) {
  return select(y > 0, dy, 0);
}
}  // namespace scalar

/// max(x, 0), elementwise. Numbers.
///   relu({-1.f, 0.f, 2.f})  ->  {0, 0, 2}
inline constinit const Elementwise relu{
    "relu", &scalar::relu<Scalar>, kNumeric, {.gradient = &scalar::relu_gradient<Scalar>}};

}  // namespace alula
