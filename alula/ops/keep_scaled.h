#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

namespace scalar {
template <class T>
T keep_scaled(T keep, T x, T scale) {
  return select(keep, x * scale, 0);
}
}  // namespace scalar

inline constinit const Elementwise keep_scaled_op{
    "keep_scaled", &scalar::keep_scaled<Scalar>, kFloating, {.parameters = 1, .condition = true}};

/// What dropout does: x * scale where `keep` holds, else 0, elementwise with broadcasting. keep:
/// bool, x: floating.
///   keep_scaled({true, false}, {3.f, 4.f}, 2)  ->  {6, 0}
inline Tensor keep_scaled(const Tensor& keep, const Tensor& x, double scale) {
  require(keep.defined() && x.defined(), "keep_scaled: an input is not defined yet.");
  ElementwiseOp op(keep_scaled_op.program(x.dtype()));
  op.parameters[0] = scale;
  return call(op, keep, x);
}

}  // namespace alula
