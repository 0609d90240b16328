#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The larger of a and b, elementwise with broadcasting; NaN if one is. Numbers.
///   maximum({1, 5}, {3, 2})  ->  {3, 5}
inline constinit const Elementwise maximum{"maximum", &scalar::max, kNumeric};

}  // namespace alula
