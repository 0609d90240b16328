#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The cosine of x in radians, elementwise. Floating types.
///   cos({0.f, 1.f})  ->  {1, 0.5403023}
inline constinit const Elementwise cos{"cos", &scalar::cos, kFloating};

}  // namespace alula
