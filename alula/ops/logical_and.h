#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T logical_and(T a, T b) {
  return a && b;
}
}  // namespace scalar

/// a && b, elementwise with broadcasting. Bools.
///   logical_and({true, true}, {true, false})  ->  {true, false}
inline constinit const Elementwise logical_and{"logical_and", &scalar::logical_and<Scalar>,
                                               boolean};

}  // namespace alula
