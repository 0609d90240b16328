#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T square(T x) {
  return x * x;
}
}  // namespace scalar

/// x * x, elementwise. Numbers.
///   square({-3, 4})  ->  {9, 16}
inline constinit const Elementwise square{"square", &scalar::square<Scalar>, kNumeric};

}  // namespace alula
