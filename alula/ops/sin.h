#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The sine of x in radians, elementwise. Floating types.
///   sin({0.f, 1.f})  ->  {0, 0.84147096}
inline constinit const Elementwise sin{"sin", &scalar::sin, kFloating};

}  // namespace alula
