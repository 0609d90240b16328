#pragma once
#include "alula/ops/sigmoid.h"

namespace alula {

namespace scalar {
template <class T>
T silu(T x) {
  return x / (1 + exp(-x));
}

template <class T>
T silu_gradient(T x, T /*y*/, T dy) {
  const T s = stable_sigmoid(x);
  return dy * (s * (1 + x * (1 - s)));
}
}  // namespace scalar

/// x * sigmoid(x), elementwise. Floating types.
///   silu({-1.f, 0.f, 2.f})  ->  {-0.26894143, 0, 1.7615942}
inline constinit const Elementwise silu{
    "silu", &scalar::silu<Scalar>, kFloating, {.gradient = &scalar::silu_gradient<Scalar>}};

}  // namespace alula
