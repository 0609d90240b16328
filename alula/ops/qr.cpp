#include "alula/ops/qr.h"

#include "alula/ops/concat.h"
#include "alula/ops/matmul.h"
#include "alula/ops/matrix.h"
#include "alula/ops/operators.h"
#include "alula/ops/slice.h"
#include "alula/ops/triangular_solve.h"

namespace alula {
namespace {

const RegisterOp<Qr> registered;

/// x R'^-1
Tensor divided(const Tensor& x, const Tensor& r) {
  return linalg::matrix_transpose(
      linalg::triangular_solve(r, linalg::matrix_transpose(x), {.lower = false}));
}

/// Where R is square.
Tensor gradient_of_square(const Tensor& q, const Tensor& r, const Tensor& dq, const Tensor& dr) {
  const Tensor qdq = matmul(q, dq, {.transpose_a = true});
  const Tensor rdr = matmul(r, dr, {.transpose_b = true});
  const Tensor skew = qdq + rdr;
  const Tensor lower = linalg::band_part(skew - linalg::matrix_transpose(skew), -1, 0);
  return matmul(q, dr + divided(lower, r)) + divided(dq - matmul(q, qdq), r);
}

}  // namespace

linalg::QrResult linalg::qr(const Tensor& input, const QrOptions& options) {
  const Tensors outputs = call_all(Qr(options), {&input, 1});
  return {outputs[0], outputs[1]};
}

Specs Qr::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require_matrices(kName, x);
  const int64_t m = rows_of(x.shape), n = columns_of(x.shape);
  const int64_t k = full_matrices ? m : smaller(m, n);
  const Shape batch = batch_of(x.shape);
  return {x.with(batch + Shape{m, k}), x.with(batch + Shape{k, n})};
}

/// The columns of wide matrices beyond the square are Q times those of R, and so are part of the
/// gradient of Q.
Gradients Qr::gradient(const Recorded& call) const {
  const int64_t m = rows_of(call.input_spec().shape), n = columns_of(call.input_spec().shape);
  require<UnimplementedError>(
      m <= n || !full_matrices,
      "{}: full matrices with more rows than columns have no gradient. Got {}. Leave full_matrices "
      "false.",
      kName, call.input_spec());
  const Tensor &q = call.output(0), &r = call.output(1), &dq = call.dy(0), &dr = call.dy(1);
  if (m >= n) return {gradient_of_square(q, r, dq, dr)};
  const int axis = r.rank() - 1;
  const Tensor beyond = slice_along(r, axis, m, n - m), d_beyond = slice_along(dr, axis, m, n - m);
  const Tensor more = matmul(matmul(q, beyond), d_beyond, {.transpose_b = true});
  return {concat(
      {gradient_of_square(q, slice_along(r, axis, 0, m), dq + more, slice_along(dr, axis, 0, m)),
       matmul(q, d_beyond)},
      -1)};
}

Attributes Qr::attributes() const {
  Attributes attributes;
  add_unless(false, attributes, "full_matrices", full_matrices);
  return attributes;
}

}  // namespace alula
