#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T mul_add(T x, T factor, T shift) {
  return x * factor + shift;
}
}  // namespace scalar

/// x * factor + shift, elementwise with broadcasting, in one pass. Numbers.
///   mul_add({1.f, 2.f}, 10, {0.5f, 0.25f})  ->  {10.5, 20.25}
inline constinit const Elementwise mul_add{"mul_add", &scalar::mul_add<Scalar>, kNumeric};

}  // namespace alula
