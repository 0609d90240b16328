#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T leaky_relu(T x, T alpha) {
  return select(x > 0, x, alpha * x);
}

template <class T>
T leaky_relu_gradient(T x, T /*y*/, T dy, T alpha) {
  return select(x > 0, dy, alpha * dy);
}
}  // namespace scalar

inline constinit const Elementwise leaky_relu_op{
    "leaky_relu",
    &scalar::leaky_relu<Scalar>,
    kFloating,
    {.parameters = 1, .gradient = &scalar::leaky_relu_gradient<Scalar>}};

/// x where it is above 0, else alpha * x, elementwise. Floating types.
///   leaky_relu({-1.f, 2.f})  ->  {-0.2, 2}
inline Tensor leaky_relu(const Tensor& x, double alpha = 0.2) {
  return leaky_relu_op.with({alpha}, x);
}

}  // namespace alula
