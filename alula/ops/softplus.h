#pragma once
#include "alula/ops/sigmoid.h"

namespace alula {

namespace scalar {
template <class T>
T softplus(T x) {
  return max(x, 0) + log1p(exp(-abs(x)));
}

template <class T>
T softplus_gradient(T x, T /*y*/, T dy) {
  return dy * stable_sigmoid(x);
}
}  // namespace scalar

/// log(1 + exp(x)), elementwise, without overflow. Floating types.
///   softplus({-1.f, 100.f})  ->  {0.31326166, 100}
inline constinit const Elementwise softplus{"softplus",
                                            &scalar::softplus<Scalar>,
                                            kFloating,
                                            {.gradient = &scalar::softplus_gradient<Scalar>}};

}  // namespace alula
