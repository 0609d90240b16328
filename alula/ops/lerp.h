#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T lerp(T a, T b, T weight) {
  return a + (b - a) * weight;
}
}  // namespace scalar

inline constinit const Elementwise lerp_op{
    "lerp", &scalar::lerp<Scalar>, kFloating, {.parameters = 1}};

/// A value between a and b, elementwise with broadcasting: a + (b - a) * weight. Floating types.
///   lerp({0.f, 10.f}, {1.f, 20.f}, 0.1)  ->  {0.1, 11}
inline Tensor lerp(const Tensor& a, const Tensor& b, double weight) {
  require(a.defined() && b.defined(), "lerp: an input is not defined yet.");
  ElementwiseOp op(lerp_op.program(a.dtype()));
  op.parameters[0] = weight;
  return call(op, a, b);
}

/// Puts lerp(target, b, weight) in the target's place; it is written where it is if nobody else
/// holds it. No gradient flows through it.
inline void lerp_into(Tensor& target, const Tensor& b, double weight) {
  require(target.defined() && b.defined(), "lerp: an input is not defined yet.");
  ElementwiseOp op(lerp_op.program(target.dtype()));
  op.parameters[0] = weight;
  const Tensor* inputs[] = {&target, &b};
  Tensor* targets[] = {&target};
  dispatch_into(op, TensorRefs(inputs), targets);
}

}  // namespace alula
