#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
inline constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;

template <class T>
T selu(T x) {
  return select(x > 0, kSeluScale * x, kSeluScale * kSeluAlpha * expm1(x));
}

/// exp is kept from overflowing where its value is not chosen.
template <class T>
T selu_gradient(T x, T /*y*/, T dy) {
  return dy * select(x < 0, kSeluScale * kSeluAlpha * exp(min(x, 0)), kSeluScale);
}
}  // namespace scalar

/// The scaled exponential linear unit, elementwise: s * x above 0, s * a * (exp(x) - 1) below,
/// where s and a keep the mean 0 and the variance 1 of activations. Floating types.
///   selu({-1.f, 2.f})  ->  {-1.1113307, 2.101402}
inline constinit const Elementwise selu{
    "selu", &scalar::selu<Scalar>, kFloating, {.gradient = &scalar::selu_gradient<Scalar>}};

}  // namespace alula
