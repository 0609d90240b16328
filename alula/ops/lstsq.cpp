#include "alula/ops/lstsq.h"

#include <algorithm>
#include <limits>

#include "alula/ops/cast.h"
#include "alula/ops/cholesky.h"
#include "alula/ops/divide_no_nan.h"
#include "alula/ops/fill.h"
#include "alula/ops/matmul.h"
#include "alula/ops/matrix.h"
#include "alula/ops/one_hot.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/svd.h"
#include "alula/ops/where.h"

namespace alula {
namespace {

void check(const char* who, const Tensor& a) {
  require(a.defined(), "{}: the input is not defined yet.", who);
  require_matrices(who, a.spec());
  require(rows_of(a.shape()) != kUnknown && columns_of(a.shape()) != kUnknown,
          "{}: the sizes of the matrices must be known. Got {}.", who, a.spec());
}

/// The larger size, in units of the dtype's last place at 1.
double rounding_of(const Tensor& a) {
  const auto size = static_cast<double>(std::max(rows_of(a.shape()), columns_of(a.shape())));
  return size * (a.dtype() == float32 ? double{std::numeric_limits<float>::epsilon()}
                                      : std::numeric_limits<double>::epsilon());
}

/// The largest singular value of each matrix: [..., 1]. They are sorted, but there may be none.
Tensor largest(const Tensor& s) {
  return s.shape().back() == 0 ? s : reduce_max(s, {.axis = -1, .keepdims = true});
}

/// a * a' or a' * a, whichever is smaller, and the regularizer on its diagonal.
Tensor normal_matrix(const Tensor& a, bool tall, double regularizer) {
  Tensor product = tall ? matmul(a, a, {.transpose_a = true})  //
                        : matmul(a, a, {.transpose_b = true});
  if (regularizer != 0)
    product = product + regularizer * eye(columns_of(product.shape()), {.dtype = a.dtype()});
  return product;
}

}  // namespace

Tensor linalg::lstsq(const Tensor& matrix, const Tensor& rhs, const LstsqOptions& options) {
  check("lstsq", matrix);
  check("lstsq", rhs);
  require(rows_of(matrix.shape()) == rows_of(rhs.shape()),
          "lstsq: the matrix has {} rows, the right-hand side {}. Got {}, {}.",
          rows_of(matrix.shape()), rows_of(rhs.shape()), matrix.spec(), rhs.spec());
  require(options.l2_regularizer >= 0, "lstsq: l2_regularizer must not be negative. Got {}.",
          options.l2_regularizer);
  if (!options.fast) return matmul(pinv(matrix), rhs);
  const bool tall = rows_of(matrix.shape()) >= columns_of(matrix.shape());
  const Tensor chol = cholesky(normal_matrix(matrix, tall, options.l2_regularizer));
  if (tall) return cholesky_solve(chol, matmul(matrix, rhs, {.transpose_a = true}));
  return matmul(matrix, cholesky_solve(chol, rhs), {.transpose_a = true});
}

Tensor linalg::pinv(const Tensor& a, Cutoff rcond) {
  check("pinv", a);
  const SvdResult parts = svd(a);
  const double relative = rcond.given() ? rcond.value() : 10 * rounding_of(a);
  const Tensor kept = where(parts.s > relative * largest(parts.s), parts.s, zeros_like(parts.s));
  const Tensor inverse = divide_no_nan(ones_like(kept), kept);
  return matmul(parts.v * expand_dims(inverse, -2), parts.u, {.transpose_b = true});
}

Tensor linalg::matrix_rank(const Tensor& a, Cutoff tol) {
  check("matrix_rank", a);
  const Tensor s = singular_values(a);
  const Tensor above = tol.given() ? s > tol.value() : s > rounding_of(a) * largest(s);
  return reduce_sum(cast(above, int32), {.axis = -1});
}

}  // namespace alula
