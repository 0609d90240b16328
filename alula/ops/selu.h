#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T selu(T x) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  return select(x > 0, kScale * x, kScale * kAlpha * expm1(x));
}
}  // namespace scalar

/// The scaled exponential linear unit, elementwise: s * x above 0, s * a * (exp(x) - 1) below,
/// where s and a keep the mean 0 and the variance 1 of activations. Floating types.
///   selu({-1.f, 2.f})  ->  {-1.1113307, 2.101402}
inline constinit const Elementwise selu{"selu", &scalar::selu<Scalar>, kFloating};

}  // namespace alula
