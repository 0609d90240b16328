#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The square root, elementwise; NaN below 0. Floating types.
///   sqrt({4.f, 2.f})  ->  {2, 1.4142135}
inline constinit const Elementwise sqrt{"sqrt", &scalar::sqrt, kFloating};

}  // namespace alula
