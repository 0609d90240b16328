#include "alula/ops/lu.h"

#include "alula/ops/fill.h"
#include "alula/ops/matmul.h"
#include "alula/ops/matrix.h"
#include "alula/ops/one_hot.h"
#include "alula/ops/operators.h"
#include "alula/ops/triangular_solve.h"

namespace alula {
namespace {

const RegisterOp<Lu> registered;

/// L with its diagonal of ones.
Tensor lower_of(const Tensor& lu) {
  return linalg::set_diag(linalg::band_part(lu, -1, 0), ones_like(linalg::diag_part(lu)));
}
Tensor upper_of(const Tensor& lu) { return linalg::band_part(lu, 0, -1); }

/// The matrices P with P * A = L * U.
Tensor permutation(const Tensor& perm, DType dtype) {
  return one_hot(perm, perm.shape().back(), {.dtype = dtype});
}

void check(const char* who, const Tensor& lower_upper, const Tensor& perm) {
  require(lower_upper.defined() && perm.defined(), "{}: an input is not defined yet.", who);
  require_square(who, lower_upper.spec());
  require(perm.dtype() == int32 || perm.dtype() == int64,
          "{}: perm must be int32 or int64. Got {}.", who, perm.spec());
  require(perm.shape() == lower_upper.shape().slice(0, lower_upper.rank() - 1),
          "{}: perm must be [..., m] beside matrices [..., m, m]. Got lower_upper {}, perm {}.",
          who, lower_upper.spec(), perm.spec());
}

}  // namespace

linalg::LuResult linalg::lu(const Tensor& input) {
  const Tensors outputs = call_all(Lu(), {&input, 1});
  return {outputs[0], outputs[1]};
}

Tensor linalg::lu_solve(const Tensor& lower_upper, const Tensor& perm, const Tensor& rhs) {
  check("lu_solve", lower_upper, perm);
  const Tensor ordered = matmul(permutation(perm, lower_upper.dtype()), rhs);
  const Tensor between = triangular_solve(lower_of(lower_upper), ordered);
  return triangular_solve(lower_upper, between, {.lower = false});
}

Tensor linalg::lu_reconstruct(const Tensor& lower_upper, const Tensor& perm) {
  check("lu_reconstruct", lower_upper, perm);
  return matmul(permutation(perm, lower_upper.dtype()),
                matmul(lower_of(lower_upper), upper_of(lower_upper)), {.transpose_a = true});
}

Tensor linalg::lu_matrix_inverse(const Tensor& lower_upper, const Tensor& perm) {
  check("lu_matrix_inverse", lower_upper, perm);
  const Tensor between =
      triangular_solve(lower_of(lower_upper), permutation(perm, lower_upper.dtype()));
  return triangular_solve(lower_upper, between, {.lower = false});
}

Specs Lu::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require_square(kName, x);
  return {x, {int32, x.shape.slice(0, x.rank() - 1)}};
}

/// P' L'^-1 (strict lower triangle of L' dL + upper triangle of dU U') U'^-1.
Gradients Lu::gradient(const Recorded& call) const {
  const Tensor &lu = call.output(0), &dy = call.dy(0);
  const Tensor l = lower_of(lu);
  const Tensor dl = dy - upper_of(dy);
  const Tensor below = matmul(l, dl, {.transpose_a = true});
  const Tensor above = matmul(upper_of(dy), upper_of(lu), {.transpose_b = true});
  const Tensor middle = below - upper_of(below) + upper_of(above);
  const Tensor left = linalg::triangular_solve(l, middle, {.adjoint = true});
  // X U'^-1 is (U^-1 X')'.
  const Tensor both =
      linalg::triangular_solve(lu, linalg::matrix_transpose(left), {.lower = false});
  return {matmul(permutation(call.output(1), lu.dtype()), linalg::matrix_transpose(both),
                 {.transpose_a = true})};
}

}  // namespace alula
