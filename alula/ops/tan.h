#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The tangent of x in radians, elementwise. Floating types.
///   tan({0.f, 1.f})  ->  {0, 1.5574077}
inline constinit const Elementwise tan{"tan", &scalar::tan, kFloating};

}  // namespace alula
