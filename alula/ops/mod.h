#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The remainder of floordiv, with the sign of the divisor, elementwise with broadcasting. Numbers;
/// an integer divided by 0 is an error.
///   mod({7, -7}, {3, 3})  ->  {1, 2}
inline constinit const Elementwise mod{"mod", &scalar::floor_modulo, kNumeric};
/// TensorFlow's name of it.
inline constexpr const Elementwise& floormod = mod;

}  // namespace alula
