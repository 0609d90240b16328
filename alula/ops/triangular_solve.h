#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

struct TriangularSolveOptions {
  bool lower = true;     // whether the matrix is its lower triangle, or its upper one
  bool adjoint = false;  // whether to solve with the transposed matrix
};

/// x with matrix * x = rhs, for a matrix of which only one triangle is read and the other is 0.
/// Batches broadcast. A zero on the diagonal gives infinities or NaN. matrix: [..., m, m],
/// rhs: [..., m, k], result: [..., m, k]. float32, float64.
///   triangular_solve({{2.f, 0.f}, {1.f, 4.f}}, {{2.f}, {9.f}})  ->  {{1}, {2}}
Tensor triangular_solve(const Tensor& matrix, const Tensor& rhs,
                        const TriangularSolveOptions& options = {});

}  // namespace linalg

/// The op behind it. Both inputs have the same batch dimensions.
struct TriangularSolve final : MatrixOp<TriangularSolve>, linalg::TriangularSolveOptions {
  static constexpr const char* kName = "triangular_solve";

  explicit TriangularSolve(const linalg::TriangularSolveOptions& options = {})
      : TriangularSolveOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

}  // namespace alula
