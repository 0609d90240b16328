#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto isfinite(T x) {
  return abs(x) < std::numeric_limits<double>::infinity();
}
}  // namespace scalar

/// Whether x is neither infinite nor NaN, elementwise. Floating types; bool.
///   isfinite({1.f, 1 / 0.f})  ->  {true, false}
inline constinit const Elementwise isfinite{
    "isfinite", &scalar::isfinite<Scalar>, kFloating, {.gradient = kNoGradient}};

}  // namespace alula
