#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T neg(T x) {
  return -x;
}
}  // namespace scalar

/// -x, elementwise. Signed numbers; the smallest integer stays as it is.
///   neg({1, -2})  ->  {-1, 2}
inline constinit const Elementwise neg{"neg", &scalar::neg<Scalar>, kSigned};
/// TensorFlow's name of it.
inline constexpr const Elementwise& negative = neg;

}  // namespace alula
