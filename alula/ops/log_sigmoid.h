#pragma once
#include "alula/ops/sigmoid.h"

namespace alula {

namespace scalar {
template <class T>
T log_sigmoid(T x) {
  return min(x, 0) - log1p(exp(-abs(x)));
}

template <class T>
T log_sigmoid_gradient(T x, T /*y*/, T dy) {
  return dy * stable_sigmoid(-x);
}
}  // namespace scalar

/// log(sigmoid(x)), elementwise, without overflow. Floating types.
///   log_sigmoid({0.f, -100.f})  ->  {-0.6931472, -100}
inline constinit const Elementwise log_sigmoid{"log_sigmoid",
                                               &scalar::log_sigmoid<Scalar>,
                                               kFloating,
                                               {.gradient = &scalar::log_sigmoid_gradient<Scalar>}};

}  // namespace alula
