#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The smaller of a and b, elementwise with broadcasting; NaN if one is. Numbers.
///   minimum({1, 5}, {3, 2})  ->  {1, 2}
inline constinit const Elementwise minimum{"minimum", &scalar::min, kNumeric};

}  // namespace alula
