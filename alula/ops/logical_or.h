#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T logical_or(T a, T b) {
  return a || b;
}
}  // namespace scalar

/// a || b, elementwise with broadcasting. Bools.
///   logical_or({true, true}, {true, false})  ->  {true, true}
inline constinit const Elementwise logical_or{"logical_or", &scalar::logical_or<Scalar>, boolean};

}  // namespace alula
