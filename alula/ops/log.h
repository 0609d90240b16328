#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The natural logarithm, elementwise; -inf of 0, NaN below. Floating types.
///   log({1.f, 10.f})  ->  {0, 2.3025851}
inline constinit const Elementwise log{"log", &scalar::log, kFloating};

}  // namespace alula
