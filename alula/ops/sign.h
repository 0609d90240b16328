#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T sign(T x) {
  return select(x > 0, 1, select(x < 0, -1, x));
}
}  // namespace scalar

/// -1, 0 or 1, elementwise; NaN of NaN. Numbers.
///   sign({-3.f, 0.f, 2.f})  ->  {-1, 0, 1}
inline constinit const Elementwise sign{"sign", &scalar::sign<Scalar>, kNumeric};

}  // namespace alula
