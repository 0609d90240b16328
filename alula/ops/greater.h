#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto greater(T a, T b) {
  return a > b;
}
}  // namespace scalar

/// Whether a > b, elementwise with broadcasting. Numbers; bool.
///   greater({1, 2}, {3, 2})  ->  {false, false}
inline constinit const Elementwise greater{
    "greater", &scalar::greater<Scalar>, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
