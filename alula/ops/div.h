#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T div(T a, T b) {
  return a / b;
}
}  // namespace scalar

/// a / b, elementwise with broadcasting. Floating types; `divide` takes integers, too.
///   div({1.f, 3.f}, {2.f, 4.f})  ->  {0.5, 0.75}
inline constinit const Elementwise div{"div", &scalar::div<Scalar>, kFloating};

}  // namespace alula
