#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T relu6(T x) {
  return min(max(x, 0), 6);
}
}  // namespace scalar

/// min(max(x, 0), 6), elementwise. Numbers.
///   relu6({-1.f, 3.f, 8.f})  ->  {0, 3, 6}
inline constinit const Elementwise relu6{"relu6", &scalar::relu6<Scalar>, kNumeric};

}  // namespace alula
