#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The error function, elementwise. Floating types.
///   erf({0.f, 1.f})  ->  {0, 0.8427008}
inline constinit const Elementwise erf{"erf", &scalar::erf, kFloating};

}  // namespace alula
