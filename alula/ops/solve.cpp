#include "alula/ops/solve.h"

#include "alula/ops/matmul.h"
#include "alula/ops/operators.h"

namespace alula {
namespace {

const RegisterOp<Solve> solve_registered;
const RegisterOp<Inv> inv_registered;

}  // namespace

Tensor linalg::solve(const Tensor& matrix, const Tensor& rhs, const SolveOptions& options) {
  const WithBatch both(Solve::kName, matrix, rhs);
  return call(Solve(options), both.a, both.b);
}

Tensor linalg::inv(const Tensor& input, const SolveOptions& options) {
  return call(Inv(options), input);
}

Specs infer_solution(const char* who, SpecRefs inputs) {
  const Spec &matrix = inputs[0], &rhs = inputs[1];
  require_square(who, matrix);
  require_matrices(who, rhs);
  require(matrix.dtype == rhs.dtype, "{}: the dtypes differ. Got {}. Use cast().", who, inputs);
  const int64_t m = rows_of(matrix.shape), n = rows_of(rhs.shape);
  require(m == n || m == kUnknown || n == kUnknown,
          "{}: the matrix has {} rows, the right-hand side {}. Got {}.", who, m, n, inputs);
  require(compatible(batch_of(matrix.shape), batch_of(rhs.shape)),
          "{}: the batch dimensions differ. Got {}.", who, inputs);
  return {rhs};
}

Specs Solve::infer(SpecRefs inputs) const { return infer_solution(kName, inputs); }

/// With A X = B and a gradient D of X: dB = A'^-1 D, dA = -dB X'.
Gradients Solve::gradient(const Recorded& call) const {
  const Tensor db = linalg::solve(call.input(0), call.dy(), {.adjoint = !adjoint});
  Gradients gradients{Tensor(), db};
  if (call.wants(0)) {
    const Tensor& x = call.output();
    gradients[0] =
        -(adjoint ? matmul(x, db, {.transpose_b = true}) : matmul(db, x, {.transpose_b = true}));
  }
  return gradients;
}

Needs Solve::needs(IndexSet wanted) const {
  Needs needs{.inputs = {0}, .outputs = {}};
  if (wanted.contains(0)) needs.outputs.add(0);
  return needs;
}

Specs Inv::infer(SpecRefs inputs) const {
  require_square(kName, inputs[0]);
  return {inputs[0]};
}

/// With Y = A^-1 and a gradient D of Y: dA = -Y' D Y'; with Y = A'^-1: dA = -Y D' Y.
Gradients Inv::gradient(const Recorded& call) const {
  const Tensor &y = call.output(), &dy = call.dy();
  if (adjoint) return {-matmul(y, matmul(dy, y, {.transpose_a = true}))};
  return {-matmul(y, matmul(dy, y, {.transpose_b = true}), {.transpose_a = true})};
}

Attributes Solve::attributes() const {
  Attributes attributes;
  add_unless(false, attributes, "adjoint", adjoint);
  return attributes;
}

Attributes Inv::attributes() const {
  Attributes attributes;
  add_unless(false, attributes, "adjoint", adjoint);
  return attributes;
}

}  // namespace alula
