#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The quotient rounded down, elementwise with broadcasting. Numbers; an integer divided by 0 is an
/// error.
///   floordiv({7, -7}, {2, 2})  ->  {3, -4}
inline constinit const Elementwise floordiv{
    "floordiv", &scalar::floor_divide, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
