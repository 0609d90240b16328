#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T sigmoid(T x) {
  return 1 / (1 + exp(-x));
}
}  // namespace scalar

/// 1 / (1 + exp(-x)), elementwise. Floating types.
///   sigmoid({0.f, 2.f})  ->  {0.5, 0.8807971}
inline constinit const Elementwise sigmoid{"sigmoid", &scalar::sigmoid<Scalar>, kFloating};

}  // namespace alula
