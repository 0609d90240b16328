#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// exp(x) - 1, elementwise; accurate near 0. Floating types.
///   expm1({0.f, 1e-6f})  ->  {0, 1.0000005e-06}
inline constinit const Elementwise expm1{"expm1", &scalar::expm1, kFloating};

}  // namespace alula
