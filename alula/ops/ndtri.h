#pragma once
#include "alula/ops/erfcinv.h"

namespace alula {

namespace scalar {
template <class T>
T ndtri(T x) {
  return -std::numbers::sqrt2 * erfcinv(2 * x);
}

template <class T>
T ndtri_gradient(T /*x*/, T y, T dy) {
  constexpr double kSqrt2Pi = 2.5066282746310005024;
  return dy * (kSqrt2Pi * exp(0.5 * (y * y)));
}
}  // namespace scalar

/// Where the normal distribution reaches a probability: the inverse of its cumulative distribution
/// function, elementwise. Floating types.
///   ndtri({0.5f, 0.975f})  ->  {0, 1.959964}
inline constinit const Elementwise ndtri{
    "ndtri", &scalar::ndtri<Scalar>, kFloating, {.gradient = &scalar::ndtri_gradient<Scalar>}};

}  // namespace alula
