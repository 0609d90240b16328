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

/// Moves a variable to lerp(variable, b, weight); it is written where it is if nobody else holds
/// its elements. No gradient flows through it.
inline void assign_lerp(const Variable& variable, const Tensor& b, double weight) {
  require(variable.defined() && b.defined(), "lerp: an input is not defined yet.");
  ElementwiseOp op(lerp_op.program(variable.dtype()));
  op.parameters[0] = weight;
  const TensorOrVariable inputs[] = {variable, b};
  update_variables(op, inputs, {&variable, 1});
}

}  // namespace alula
