#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T reciprocal(T x) {
  return 1 / x;
}
}  // namespace scalar

/// 1 / x, elementwise. Floating types.
///   reciprocal({2.f, -4.f})  ->  {0.5, -0.25}
inline constinit const Elementwise reciprocal{"reciprocal", &scalar::reciprocal<Scalar>, kFloating};

}  // namespace alula
