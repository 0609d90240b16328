#include "alula/ops/svd.h"

#include "alula/ops/eigh.h"
#include "alula/ops/fill.h"
#include "alula/ops/matmul.h"
#include "alula/ops/matrix.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"

namespace alula {
namespace {

const RegisterOp<Svd> registered;

/// U'dU - dU'U
Tensor skew(const Tensor& u, const Tensor& du) {
  const Tensor product = matmul(u, du, {.transpose_a = true});
  return product - linalg::matrix_transpose(product);
}

/// What of x is orthogonal to the columns of u.
Tensor beside(const Tensor& u, const Tensor& x) {
  return x - matmul(u, matmul(u, x, {.transpose_a = true}));
}

}  // namespace

linalg::SvdResult linalg::svd(const Tensor& tensor, const SvdOptions& options) {
  const Tensors outputs = call_all(Svd(options), {&tensor, 1});
  return {outputs[0], outputs[1], outputs[2]};
}

Tensor linalg::singular_values(const Tensor& tensor) {
  Svd op;
  op.compute_uv = false;
  return call(op, tensor);
}

Specs Svd::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require_matrices(kName, x);
  const int64_t m = rows_of(x.shape), n = columns_of(x.shape), k = smaller(m, n);
  const Shape batch = batch_of(x.shape);
  if (!compute_uv) return {x.with(batch + Shape{k})};
  return {x.with(batch + Shape{k}), x.with(batch + Shape{m, full_matrices ? m : k}),
          x.with(batch + Shape{n, full_matrices ? n : k})};
}

/// U ((F o (U'dU - dU'U)) S + diag(ds) + S (F o (V'dV - dV'V))) V', with F = 1 / (s_j^2 - s_i^2),
/// and what of dU and dV lies beside the columns of U and V, where there is room.
Gradients Svd::gradient(const Recorded& call) const {
  const int64_t m = rows_of(call.input_spec().shape), n = columns_of(call.input_spec().shape);
  if (!compute_uv) {
    const linalg::SvdResult parts = linalg::svd(call.input());
    return {matmul(parts.u * expand_dims(call.dy(), -2), parts.v, {.transpose_b = true})};
  }
  require<UnimplementedError>(m == n || !full_matrices,
                              "{}: full matrices that are not square have no gradient. Got {}. "
                              "Leave full_matrices false.",
                              kName, call.input_spec());
  const Tensor &s = call.output(0), &u = call.output(1), &v = call.output(2);
  const Tensor across = expand_dims(s, -2), down = expand_dims(s, -1);
  // (s_j - s_i)(s_j + s_i): the difference of squares would lose digits.
  const Tensor f =
      linalg::set_diag(safe_reciprocal((across - down) * (across + down)), zeros_like(s));
  const Tensor middle = f * skew(u, call.dy(1)) * across + linalg::diag(call.dy(0)) +
                        down * (f * skew(v, call.dy(2)));
  Tensor da = matmul(u, matmul(middle, v, {.transpose_b = true}));
  const Tensor inverse = safe_reciprocal(across);
  if (m > n) da = da + matmul(beside(u, call.dy(1)) * inverse, v, {.transpose_b = true});
  if (m < n) da = da + matmul(u * inverse, beside(v, call.dy(2)), {.transpose_b = true});
  return {da};
}

Needs Svd::needs(IndexSet) const {
  if (compute_uv) return {.inputs = {}, .outputs = {0, 1, 2}};
  return {.inputs = {0}, .outputs = {}};
}

Attributes Svd::attributes() const {
  Attributes attributes;
  add_unless(false, attributes, "full_matrices", full_matrices);
  add_unless(true, attributes, "compute_uv", compute_uv);
  return attributes;
}

}  // namespace alula
