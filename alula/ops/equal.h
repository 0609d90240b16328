#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto equal(T a, T b) {
  return a == b;
}
}  // namespace scalar

/// Whether a == b, elementwise with broadcasting. Numbers, bools and strings; bool.
///   equal({1, 2}, {3, 2})  ->  {false, true}
inline constinit const Elementwise equal{
    "equal", &scalar::equal<Scalar>, kNumericOrBool, {.gradient = kNoGradient}};

}  // namespace alula
