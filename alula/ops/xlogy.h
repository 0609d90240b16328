#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T xlogy(T x, T y) {
  return select(x == 0, 0, x * log(y));
}
}  // namespace scalar

/// x * log(y), elementwise with broadcasting; 0 where x is 0, whatever y is. Floating types.
///   xlogy({0.f, 2.f}, {0.f, 1.f})  ->  {0, 0}
inline constinit const Elementwise xlogy{"xlogy", &scalar::xlogy<Scalar>, kFloating};

}  // namespace alula
