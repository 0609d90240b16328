#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T clip(T x, T low, T high) {
  return max(min(x, high), low);
}
}  // namespace scalar

/// x, but at least `low` and at most `high`, elementwise with broadcasting; `low` where that is
/// larger than `high`. NaN if one is. Numbers.
///   clip({-1.f, 0.5f, 8.f}, 0, 1)  ->  {0, 0.5, 1}
inline constinit const Elementwise clip{"clip", &scalar::clip<Scalar>, kNumeric};
/// TensorFlow's name of it.
inline constexpr const Elementwise& clip_by_value = clip;

}  // namespace alula
