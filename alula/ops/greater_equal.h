#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto greater_equal(T a, T b) {
  return a >= b;
}
}  // namespace scalar

/// Whether a >= b, elementwise with broadcasting. Numbers; bool.
///   greater_equal({1, 2}, {3, 2})  ->  {false, true}
inline constinit const Elementwise greater_equal{
    "greater_equal", &scalar::greater_equal<Scalar>, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
