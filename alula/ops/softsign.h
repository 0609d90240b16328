#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T softsign(T x) {
  return x / (1 + abs(x));
}

template <class T>
T softsign_gradient(T x, T /*y*/, T dy) {
  const T root = 1 + abs(x);
  return dy / (root * root);
}
}  // namespace scalar

/// x / (1 + |x|), elementwise. Floating types.
///   softsign({-1.f, 3.f})  ->  {-0.5, 0.75}
inline constinit const Elementwise softsign{"softsign",
                                            &scalar::softsign<Scalar>,
                                            kFloating,
                                            {.gradient = &scalar::softsign_gradient<Scalar>}};

}  // namespace alula
