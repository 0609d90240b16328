#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// a to the power of b, elementwise with broadcasting. Numbers; a negative power of an integer is
/// an error, and integers wrap around.
///   pow({2, 3}, {10, 2})  ->  {1024, 9}
inline constinit const Elementwise pow{"pow", &scalar::pow, kNumeric};

}  // namespace alula
