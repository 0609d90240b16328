#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto not_equal(T a, T b) {
  return a != b;
}
}  // namespace scalar

/// Whether a != b, elementwise with broadcasting. Numbers and bools; bool.
///   not_equal({1, 2}, {3, 2})  ->  {true, false}
inline constinit const Elementwise not_equal{
    "not_equal", &scalar::not_equal<Scalar>, kNumericOrBool, {.gradient = kNoGradient}};

}  // namespace alula
