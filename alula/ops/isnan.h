#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto isnan(T x) {
  return x != x;
}
}  // namespace scalar

/// Whether x is not a number, elementwise. Floating types; bool.
///   isnan({1.f, 0.f / 0.f})  ->  {false, true}
inline constinit const Elementwise isnan{
    "isnan", &scalar::isnan<Scalar>, kFloating, {.gradient = kNoGradient}};

}  // namespace alula
