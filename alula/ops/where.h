#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// a where the condition holds, else b, elementwise with broadcasting. The condition is bool; a and
/// b are numbers, bools or strings.
///   where({true, false}, {1, 2}, {10, 20})  ->  {1, 20}
inline constinit const Elementwise where{
    "where", &scalar::select, kNumericOrBool, {.condition = true}};

}  // namespace alula
