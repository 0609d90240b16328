#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The smallest integer that is not below x, elementwise. Numbers; integers stay as they are.
///   ceil({1.5f, -1.5f})  ->  {2, -1}
inline constinit const Elementwise ceil{"ceil", &scalar::ceil, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
