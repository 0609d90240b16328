#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T add(T a, T b) {
  return a + b;
}
}  // namespace scalar

/// a + b, elementwise with broadcasting. Numbers.
///   add({1, 2}, {10, 20})  ->  {11, 22}
inline constinit const Elementwise add{"add", &scalar::add<Scalar>, kNumeric};

}  // namespace alula
