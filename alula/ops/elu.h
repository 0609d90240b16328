#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T elu(T x, T alpha) {
  return select(x > 0, x, alpha * expm1(x));
}

/// exp is kept from overflowing where its value is not chosen.
template <class T>
T elu_gradient(T x, T /*y*/, T dy, T alpha) {
  return select(x > 0, dy, dy * (alpha * exp(min(x, 0))));
}
}  // namespace scalar

inline constinit const Elementwise elu_op{
    "elu",
    &scalar::elu<Scalar>,
    kFloating,
    {.parameters = 1, .gradient = &scalar::elu_gradient<Scalar>}};

/// The exponential linear unit, elementwise: x where it is above 0, else alpha * (exp(x) - 1).
/// Floating types.
///   elu({-1.f, 2.f})  ->  {-0.63212055, 2}
inline Tensor elu(const Tensor& x, double alpha = 1) { return elu_op.with({alpha}, x); }

}  // namespace alula
