#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T sigmoid(T x) {
  return 1 / (1 + exp(-x));
}

/// The same by numbers that cannot overflow, so that it can be differentiated again and again.
template <class T>
T stable_sigmoid(T x) {
  const T e = exp(select(x < 0, x, -x));
  return select(x < 0, e, 1) / (1 + e);
}

template <class T>
T sigmoid_gradient(T /*x*/, T y, T dy) {
  return dy * y * (1 - y);
}
}  // namespace scalar

/// 1 / (1 + exp(-x)), elementwise. Floating types.
///   sigmoid({0.f, 2.f})  ->  {0.5, 0.8807971}
inline constinit const Elementwise sigmoid{"sigmoid",
                                           &scalar::sigmoid<Scalar>,
                                           kFloating,
                                           {.gradient = &scalar::sigmoid_gradient<Scalar>}};

}  // namespace alula
