#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The hyperbolic tangent, elementwise. Floating types.
///   tanh({0.f, 1.f})  ->  {0, 0.7615942}
inline constinit const Elementwise tanh{"tanh", &scalar::tanh, kFloating};

}  // namespace alula
