#include "alula/ops/determinant.h"

#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"
#include "alula/ops/solve.h"

namespace alula {
namespace {

const RegisterOp<Det> det_registered;
const RegisterOp<Slogdet> slogdet_registered;

/// One number a matrix, as matrices of one element.
Tensor as_matrices(const Tensor& x) { return expand_dims(expand_dims(x, -1), -1); }

}  // namespace

Tensor linalg::det(const Tensor& input) { return call(Det(), input); }

linalg::SlogdetResult linalg::slogdet(const Tensor& input) {
  const Tensors outputs = call_all(Slogdet(), {&input, 1});
  return {outputs[0], outputs[1]};
}

Specs Det::infer(SpecRefs inputs) const {
  require_square(kName, inputs[0]);
  return {inputs[0].with(batch_of(inputs[0].shape))};
}

Specs Slogdet::infer(SpecRefs inputs) const {
  require_square(kName, inputs[0]);
  const Spec each = inputs[0].with(batch_of(inputs[0].shape));
  return {each, each};
}

Gradients Det::gradient(const Recorded& call) const {
  return {as_matrices(call.dy() * call.output()) * linalg::inv(call.input(), {.adjoint = true})};
}

/// The sign is constant.
Gradients Slogdet::gradient(const Recorded& call) const {
  return {as_matrices(call.dy(1)) * linalg::inv(call.input(), {.adjoint = true})};
}

}  // namespace alula
