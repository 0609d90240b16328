#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T gelu(T x) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  return 0.5 * x * (1 + erf(kSqrtHalf * x));
}
template <class T>
T gelu_approximate(T x) {
  constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
  return 0.5 * x * (1 + tanh(kSqrtTwoOverPi * (x + 0.044715 * x * x * x)));
}
}  // namespace scalar

inline constinit const Elementwise gelu_op{"gelu", &scalar::gelu<Scalar>, kFloating};
inline constinit const Elementwise gelu_approximate_op{
    "gelu_approximate", &scalar::gelu_approximate<Scalar>, kFloating};

struct GeluOptions {
  bool approximate = false;  // by tanh rather than erf
};

/// The Gaussian error linear unit, elementwise: x times the probability that a standard normal
/// number is below x. Floating types.
///   gelu({-1.f, 2.f})                         ->  {-0.15865526, 1.9544997}
///   gelu({-1.f, 2.f}, {.approximate = true})  ->  {-0.158808, 1.9545977}
inline Tensor gelu(const Tensor& x, const GeluOptions& options = {}) {
  return options.approximate ? gelu_approximate_op(x) : gelu_op(x);
}

}  // namespace alula
