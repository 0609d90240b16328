#pragma once
#include "alula/core/random.h"
#include "alula/runtime/dispatch.h"

namespace alula {

struct DropoutOptions {
  /// Where it is 1, all elements along a dimension share their fate; x's own unless it has
  /// dimensions.
  Shape noise_shape = {};
  random::Seed seed = {};
};
/// x with a part of its elements, `rate` of them, 0, and the others divided by 1 - rate. Floating
/// types; 0 <= rate < 1.
///   dropout({1.f, 1.f, 1.f, 1.f}, 0.5)  ->  {2, 0, 0, 2}, say
Tensor dropout(const Tensor& x, double rate, const DropoutOptions& options = {});

}  // namespace alula
