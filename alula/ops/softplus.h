#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T softplus(T x) {
  return max(x, 0) + log1p(exp(-abs(x)));
}
}  // namespace scalar

/// log(1 + exp(x)), elementwise, without overflow. Floating types.
///   softplus({-1.f, 100.f})  ->  {0.31326166, 100}
inline constinit const Elementwise softplus{"softplus", &scalar::softplus<Scalar>, kFloating};

}  // namespace alula
