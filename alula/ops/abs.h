#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// |x|, elementwise. Numbers; the smallest integer stays as it is.
///   abs({-3, 4})  ->  {3, 4}
inline constinit const Elementwise abs{"abs", &scalar::abs, kNumeric};

}  // namespace alula
