#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

struct LuResult {
  Tensor lu;  // the upper triangle is U; below it is L, whose diagonal is 1
  Tensor p;   // int32[..., m]: row i of L * U is row p[i] of the input
};
/// Square matrices [..., m, m] as products of a lower and an upper triangular one, with rows in
/// another order. A singular matrix is an error. float32, float64.
///   lu({{0.f, 1.f}, {2.f, 3.f}})  ->  lu {{2, 3}, {0, 1}}, p {1, 0}
LuResult lu(const Tensor& input);

/// x with A * x = rhs, given lu(A). lower_upper: [..., m, m], perm: [..., m], rhs: [..., m, k].
Tensor lu_solve(const Tensor& lower_upper, const Tensor& perm, const Tensor& rhs);
/// A, given lu(A).
Tensor lu_reconstruct(const Tensor& lower_upper, const Tensor& perm);
/// The inverse of A, given lu(A).
Tensor lu_matrix_inverse(const Tensor& lower_upper, const Tensor& perm);

}  // namespace linalg

/// The op behind `lu`.
struct Lu final : MatrixOp<Lu> {
  static constexpr const char* kName = "lu";

  Specs infer(SpecRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {0, 1}}; }
};

}  // namespace alula
