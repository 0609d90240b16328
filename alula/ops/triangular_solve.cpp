#include "alula/ops/triangular_solve.h"

#include "alula/ops/matmul.h"
#include "alula/ops/matrix.h"
#include "alula/ops/operators.h"
#include "alula/ops/solve.h"

namespace alula {
namespace {

const RegisterOp<TriangularSolve> registered;

}  // namespace

Tensor linalg::triangular_solve(const Tensor& matrix, const Tensor& rhs,
                                const TriangularSolveOptions& options) {
  const WithBatch both(TriangularSolve::kName, matrix, rhs);
  return call(TriangularSolve(options), both.a, both.b);
}

Specs TriangularSolve::infer(SpecRefs inputs) const { return infer_solution(kName, inputs); }

/// With A X = B and a gradient D of X: dB = A'^-1 D, and dA = -dB X' where A is read.
Gradients TriangularSolve::gradient(const Recorded& call) const {
  const Tensor db =
      linalg::triangular_solve(call.input(0), call.dy(), {.lower = lower, .adjoint = !adjoint});
  Gradients gradients{Tensor(), db};
  if (call.wants(0)) {
    const Tensor& x = call.output();
    const Tensor da =
        -(adjoint ? matmul(x, db, {.transpose_b = true}) : matmul(db, x, {.transpose_b = true}));
    gradients[0] = lower ? linalg::band_part(da, -1, 0) : linalg::band_part(da, 0, -1);
  }
  return gradients;
}

Needs TriangularSolve::needs(IndexSet wanted) const {
  Needs needs{.inputs = {0}, .outputs = {}};
  if (wanted.contains(0)) needs.outputs.add(0);
  return needs;
}

Attributes TriangularSolve::attributes() const {
  Attributes attributes;
  add_unless(true, attributes, "lower", lower);
  add_unless(false, attributes, "adjoint", adjoint);
  return attributes;
}

}  // namespace alula
