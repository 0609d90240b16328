#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T squared_difference(T a, T b) {
  const T difference = a - b;
  return difference * difference;
}
}  // namespace scalar

/// (a - b)^2, elementwise with broadcasting. Numbers.
///   squared_difference({1, 5}, {3, 2})  ->  {4, 9}
inline constinit const Elementwise squared_difference{
    "squared_difference", &scalar::squared_difference<Scalar>, kNumeric};

}  // namespace alula
