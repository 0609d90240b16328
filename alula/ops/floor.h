#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The largest integer that is not above x, elementwise. Numbers; integers stay as they are.
///   floor({1.5f, -1.5f})  ->  {1, -2}
inline constinit const Elementwise floor{
    "floor", &scalar::floor, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
