#include "alula/ops/cholesky.h"

#include "alula/ops/log.h"
#include "alula/ops/matmul.h"
#include "alula/ops/matrix.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/triangular_solve.h"

namespace alula {
namespace {

const RegisterOp<Cholesky> registered;

}  // namespace

Tensor linalg::cholesky(const Tensor& input) { return call(Cholesky(), input); }

Tensor linalg::cholesky_solve(const Tensor& chol, const Tensor& rhs) {
  return triangular_solve(chol, triangular_solve(chol, rhs), {.adjoint = true});
}

Tensor linalg::logdet(const Tensor& matrix) {
  return 2 * reduce_sum(log(diag_part(cholesky(matrix))), {.axis = -1});
}

Specs Cholesky::infer(SpecRefs inputs) const {
  require_square(kName, inputs[0]);
  return {inputs[0]};
}

/// L'^-1 P(L' D) L^-1, made symmetric, where P takes the lower triangle and half the diagonal.
Gradients Cholesky::gradient(const Recorded& call) const {
  const Tensor& l = call.output();
  Tensor middle = matmul(l, call.dy(), {.transpose_a = true});
  middle = linalg::set_diag(middle, 0.5 * linalg::diag_part(middle));
  middle = linalg::band_part(middle, -1, 0);
  const Tensor left = linalg::triangular_solve(l, middle, {.adjoint = true});
  const Tensor both =
      linalg::triangular_solve(l, linalg::matrix_transpose(left), {.adjoint = true});
  return {0.5 * (both + linalg::matrix_transpose(both))};
}

}  // namespace alula
