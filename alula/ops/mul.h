#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T mul(T a, T b) {
  return a * b;
}
}  // namespace scalar

/// a * b, elementwise with broadcasting. Numbers; integers wrap around.
///   mul({1, 2}, {10, 20})  ->  {10, 40}
inline constinit const Elementwise mul{"mul", &scalar::mul<Scalar>, kNumeric};
/// TensorFlow's name of it.
inline constexpr const Elementwise& multiply = mul;

}  // namespace alula
