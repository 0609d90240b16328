#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T logical_not(T x) {
  return !x;
}
}  // namespace scalar

/// !x, elementwise. Bools.
///   logical_not({true, false})  ->  {false, true}
inline constinit const Elementwise logical_not{"logical_not", &scalar::logical_not<Scalar>,
                                               boolean};

}  // namespace alula
