#include "alula/ops/eigh.h"

#include "alula/ops/fill.h"
#include "alula/ops/matmul.h"
#include "alula/ops/matrix.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"

namespace alula {
namespace {

const RegisterOp<Eigh> registered;

}  // namespace

Tensor safe_reciprocal(const Tensor& x) { return x / (x * x + 1e-20); }

linalg::EighResult linalg::eigh(const Tensor& tensor) {
  const Tensors outputs = call_all(Eigh(), {&tensor, 1});
  return {outputs[0], outputs[1]};
}

Tensor linalg::eigvalsh(const Tensor& tensor) {
  Eigh op;
  op.compute_v = false;
  return call(op, tensor);
}

Specs Eigh::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require_square(kName, x);
  const Spec values = x.with(x.shape.slice(0, x.rank() - 1));
  if (!compute_v) return {values};
  return {values, x};
}

/// V (diag(de) + F o (V' dV)) V' with F = 1 / (e_j - e_i). Only the lower triangle was read, so all
/// of the gradient goes there.
Gradients Eigh::gradient(const Recorded& call) const {
  Tensor v, middle = linalg::diag(call.dy(0));
  if (compute_v) {
    v = call.output(1);
    const Tensor& e = call.output(0);
    const Tensor gaps = expand_dims(e, -2) - expand_dims(e, -1);
    const Tensor f = linalg::set_diag(safe_reciprocal(gaps), zeros_like(e));
    middle = middle + f * matmul(v, call.dy(1), {.transpose_a = true});
  } else {
    v = linalg::eigh(call.input()).v;
  }
  const Tensor full = matmul(v, matmul(middle, v, {.transpose_b = true}));
  const Tensor lower = linalg::band_part(full + linalg::matrix_transpose(full), -1, 0);
  return {linalg::set_diag(lower, 0.5 * linalg::diag_part(lower))};
}

Needs Eigh::needs(IndexSet) const {
  if (compute_v) return {.inputs = {}, .outputs = {0, 1}};
  return {.inputs = {0}, .outputs = {}};
}

Attributes Eigh::attributes() const {
  Attributes attributes;
  add_unless(true, attributes, "compute_v", compute_v);
  return attributes;
}

}  // namespace alula
