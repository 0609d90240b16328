#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

/// The lower triangular L with L * L' = input, of symmetric positive definite matrices [..., m, m].
/// Only the lower triangle is read. A matrix that is not positive definite is an error. (Some
/// versions of TensorFlow give NaN instead.) float32, float64.
///   cholesky({{4.f, 2.f}, {2.f, 5.f}})  ->  {{2, 0}, {1, 2}}
Tensor cholesky(const Tensor& input);

/// x with A * x = rhs, given chol = cholesky(A). Batches broadcast.
/// chol: [..., m, m], rhs: [..., m, k], result: [..., m, k].
Tensor cholesky_solve(const Tensor& chol, const Tensor& rhs);

/// The logarithm of the determinant of symmetric positive definite matrices: [..., m, m] -> [...].
///   logdet({{4.f, 2.f}, {2.f, 5.f}})  ->  2.7725887
Tensor logdet(const Tensor& matrix);

}  // namespace linalg

/// The op behind `cholesky`.
struct Cholesky final : MatrixOp<Cholesky> {
  static constexpr const char* kName = "cholesky";

  Specs infer(SpecRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {0}}; }
};

}  // namespace alula
