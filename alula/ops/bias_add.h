#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// Adds a bias to each channel, the last axis. x: [..., channels], bias: [channels]. Numbers.
///   bias_add({{1, 2}, {3, 4}}, {10, 20})  ->  {{11, 22}, {13, 24}}
Tensor bias_add(const Tensor& x, const Tensor& bias);

}  // namespace alula
