#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T logical_xor(T a, T b) {
  return a != b;
}
}  // namespace scalar

/// a != b, of bools, elementwise with broadcasting. Bools.
///   logical_xor({true, true}, {true, false})  ->  {false, true}
inline constinit const Elementwise logical_xor{"logical_xor", &scalar::logical_xor<Scalar>,
                                               boolean};

}  // namespace alula
