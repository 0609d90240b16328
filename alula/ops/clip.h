#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T clip(T x, T low, T high) {
  return max(min(x, high), low);
}

/// At a bound, x has the gradient; beyond it, the bound. `low` has it where that is above `high`.
template <class T>
T clip_gradient_x(T x, T low, T high, T /*y*/, T dy) {
  return select(x < low || x > high, 0, dy);
}

template <class T>
T clip_gradient_low(T x, T low, T high, T /*y*/, T dy) {
  return select(min(x, high) < low, dy, 0);
}

template <class T>
T clip_gradient_high(T x, T low, T high, T /*y*/, T dy) {
  return select(x > high && low <= high, dy, 0);
}
}  // namespace scalar

/// x, but at least `low` and at most `high`, elementwise with broadcasting; `low` where that is
/// larger than `high`. NaN if one is. Numbers.
///   clip({-1.f, 0.5f, 8.f}, 0, 1)  ->  {0, 0.5, 1}
inline constinit const Elementwise clip{
    "clip",
    &scalar::clip<Scalar>,
    kNumeric,
    {.gradient = {&scalar::clip_gradient_x<Scalar>, &scalar::clip_gradient_low<Scalar>,
                  &scalar::clip_gradient_high<Scalar>}}};
/// TensorFlow's name of it.
inline constexpr const Elementwise& clip_by_value = clip;

}  // namespace alula
