#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T silu(T x) {
  return x / (1 + exp(-x));
}
}  // namespace scalar

/// x * sigmoid(x), elementwise. Floating types.
///   silu({-1.f, 0.f, 2.f})  ->  {-0.26894143, 0, 1.7615942}
inline constinit const Elementwise silu{"silu", &scalar::silu<Scalar>, kFloating};

}  // namespace alula
