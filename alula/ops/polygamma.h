#pragma once
#include "alula/ops/lgamma.h"
#include "alula/ops/zeta.h"

namespace alula {

namespace scalar {
template <class T>
T polygamma(T a, T x) {
  const T size = exp(lgamma(a + 1)) * zeta(a + 1, x);
  const T derivative = select(floor_modulo(a, constant_like(a, 2)) == 1, size, -size);
  const T value = select(a == 0, digamma(x), derivative);
  return select(a < 0 || a != floor(a), std::numeric_limits<double>::quiet_NaN(), value);
}

/// As in TensorFlow, there is none with respect to the order.
template <class T>
T polygamma_gradient_a(T /*a*/, T /*x*/, T /*y*/, T dy) {
  return constant_like(dy, 0);
}

template <class T>
T polygamma_gradient_x(T a, T x, T /*y*/, T dy) {
  return dy * polygamma(a + 1, x);
}
}  // namespace scalar

/// The a-th derivative of digamma at x, elementwise with broadcasting; NaN where a is no integer or
/// negative, and, if a is not 0, for negative x. Floating types.
///   polygamma({0.f, 1.f}, {2.5f, 2.5f})  ->  {0.7031566, 0.4903578}
inline constinit const Elementwise polygamma{
    "polygamma",
    &scalar::polygamma<Scalar>,
    kFloating,
    {.gradient = {&scalar::polygamma_gradient_a<Scalar>, &scalar::polygamma_gradient_x<Scalar>}}};

}  // namespace alula
