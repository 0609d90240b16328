#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The true quotient, elementwise with broadcasting. Numbers; integers are divided as floating
/// point numbers: those of 8 and 16 bits as float32, larger ones as float64.
///   divide({1, 3}, {2, 4})  ->  {0.5, 0.75}, float64
Tensor divide(const Argument& a, const Argument& b);

}  // namespace alula
