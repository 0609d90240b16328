#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto less_equal(T a, T b) {
  return a <= b;
}
}  // namespace scalar

/// Whether a <= b, elementwise with broadcasting. Numbers; bool.
///   less_equal({1, 2}, {3, 2})  ->  {true, true}
inline constinit const Elementwise less_equal{
    "less_equal", &scalar::less_equal<Scalar>, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
