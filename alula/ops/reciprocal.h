#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T reciprocal(T x) {
  return 1 / x;
}

template <class T>
T reciprocal_gradient(T /*x*/, T y, T dy) {
  return -(dy * y * y);
}
}  // namespace scalar

/// 1 / x, elementwise. Floating types.
///   reciprocal({2.f, -4.f})  ->  {0.5, -0.25}
inline constinit const Elementwise reciprocal{"reciprocal",
                                              &scalar::reciprocal<Scalar>,
                                              kFloating,
                                              {.gradient = &scalar::reciprocal_gradient<Scalar>}};

}  // namespace alula
