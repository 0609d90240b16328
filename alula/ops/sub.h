#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T sub(T a, T b) {
  return a - b;
}
}  // namespace scalar

/// a - b, elementwise with broadcasting. Numbers; integers wrap around.
///   sub({1, 2}, {10, 20})  ->  {-9, -18}
inline constinit const Elementwise sub{"sub", &scalar::sub<Scalar>, kNumeric};
/// TensorFlow's name of it.
inline constexpr const Elementwise& subtract = sub;

}  // namespace alula
