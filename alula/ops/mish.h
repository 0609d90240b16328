#pragma once
#include "alula/ops/softplus.h"

namespace alula {

namespace scalar {
template <class T>
T mish(T x) {
  return x * tanh(softplus(x));
}
}  // namespace scalar

/// x * tanh(softplus(x)), elementwise. Floating types.
///   mish({-1.f, 0.f, 2.f})  ->  {-0.30340147, 0, 1.9439590}
inline constinit const Elementwise mish{"mish", &scalar::mish<Scalar>, kFloating};

}  // namespace alula
