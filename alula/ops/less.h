#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto less(T a, T b) {
  return a < b;
}
}  // namespace scalar

/// Whether a < b, elementwise with broadcasting. Numbers; bool.
///   less({1, 2}, {3, 2})  ->  {true, false}
inline constinit const Elementwise less{
    "less", &scalar::less<Scalar>, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
