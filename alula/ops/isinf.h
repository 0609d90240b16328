#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
auto isinf(T x) {
  return abs(x) == std::numeric_limits<double>::infinity();
}
}  // namespace scalar

/// Whether x is infinite, of either sign, elementwise. Floating types; bool.
///   isinf({1.f, 1 / 0.f})  ->  {false, true}
inline constinit const Elementwise isinf{
    "isinf", &scalar::isinf<Scalar>, kFloating, {.gradient = kNoGradient}};

}  // namespace alula
