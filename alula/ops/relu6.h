#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T relu6(T x) {
  return min(max(x, 0), 6);
}

template <class T>
T relu6_gradient(T /*x*/, T y, T dy) {
  return select(y > 0 && y < 6, dy, 0);
}
}  // namespace scalar

/// min(max(x, 0), 6), elementwise. Numbers.
///   relu6({-1.f, 3.f, 8.f})  ->  {0, 3, 6}
inline constinit const Elementwise relu6{
    "relu6", &scalar::relu6<Scalar>, kNumeric, {.gradient = &scalar::relu6_gradient<Scalar>}};

}  // namespace alula
