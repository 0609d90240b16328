#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// e to the power of x, elementwise. Floating types.
///   exp({0.f, 1.f})  ->  {1, 2.7182817}
inline constinit const Elementwise exp{"exp", &scalar::exp, kFloating};

}  // namespace alula
