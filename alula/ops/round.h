#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// The nearest integer, elementwise; halves go to the even one. Numbers; integers stay as they are.
///   round({0.5f, 1.5f, -1.2f})  ->  {0, 2, -1}
inline constinit const Elementwise round{
    "round", &scalar::round_to_even, kNumeric, {.gradient = kNoGradient}};

}  // namespace alula
