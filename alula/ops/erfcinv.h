#pragma once
#include <numbers>

#include "alula/ops/erfinv.h"

namespace alula {

namespace scalar {
/// In the middle erfinv(1 - x), towards 0 and 2 the fits in the root of the logarithm: erfinv's,
/// and one of our own for what lies beyond the doubles beside 1 (error 4.6e-18).
template <class T>
T erfcinv(T x) {
  constexpr double kTop[] = {
      5.5462928214984818459,      4.4205330812124351243,    1.4506411984043256606,
      0.25246744948033152181,     0.025015562328729403166,  0.0014082979691232817188,
      0.000042411877524154671649, 5.9216179809823361852e-7, 2.704597317758181356e-9};
  constexpr double kBottom[] = {1,
                                0.61300299744339679417,
                                0.14916531091801245122,
                                0.018280589937010609689,
                                0.0011849170417910170251,
                                0.000039105478776407323069,
                                5.7661401007660285858e-7,
                                2.7045932428268625097e-9};
  constexpr double kFar = 5.75;
  const T tail = select(x < 1, x, 2 - x);
  const T root = sqrt(-log(tail));
  const T far = polynomial(root - kFar, kTop) / polynomial(root - kFar, kBottom);
  const T outer = select(root < kFar, erfinv_outer(root), far);
  const T size = select(tail == 0, std::numeric_limits<double>::infinity(), outer);
  return select(abs(1 - x) < kErfinvLimit, erfinv_inner(1 - x), select(x < 1, size, -size));
}

template <class T>
T erfcinv_gradient(T /*x*/, T y, T dy) {
  constexpr double kHalfSqrtPi = 0.88622692545275801365;
  return -dy * (kHalfSqrtPi * exp(y * y));
}
}  // namespace scalar

/// The inverse of erfc, elementwise; infinite of 0 and 2, NaN beyond. Floating types.
///   erfcinv({1.f, 0.5f, 0.f})  ->  {0, 0.47693628, inf}
inline constinit const Elementwise erfcinv{"erfcinv",
                                           &scalar::erfcinv<Scalar>,
                                           kFloating,
                                           {.gradient = &scalar::erfcinv_gradient<Scalar>}};

}  // namespace alula
