#pragma once
#include "alula/ops/sigmoid.h"
#include "alula/ops/softplus.h"

namespace alula {

namespace scalar {
template <class T>
T mish(T x) {
  return x * tanh(softplus(x));
}

/// tanh(softplus(x)) is t = (u^2 + 2u) / (u^2 + 2u + 2) with u = exp(x): written with exp(-|x|), no
/// number overflows.
template <class T>
T mish_gradient(T x, T /*y*/, T dy) {
  const T e = exp(select(x < 0, x, -x));
  const T above = select(x < 0, e * e + 2 * e, 1 + 2 * e);
  const T t = above / (above + 2 * select(x < 0, 1, e * e));
  return dy * (t + x * (1 - t * t) * stable_sigmoid(x));
}
}  // namespace scalar

/// x * tanh(softplus(x)), elementwise. Floating types.
///   mish({-1.f, 0.f, 2.f})  ->  {-0.30340147, 0, 1.9439590}
inline constinit const Elementwise mish{
    "mish", &scalar::mish<Scalar>, kFloating, {.gradient = &scalar::mish_gradient<Scalar>}};

}  // namespace alula
