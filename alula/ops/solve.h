#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

struct SolveOptions {
  bool adjoint = false;  // whether the transposed matrix is meant
};

/// x with matrix * x = rhs. Batches broadcast. A singular matrix is an error. matrix: [..., m, m],
/// rhs: [..., m, k], result: [..., m, k]. float32, float64.
///   solve({{2.f, 1.f}, {1.f, 3.f}}, {{4.f}, {7.f}})  ->  {{1}, {2}}
Tensor solve(const Tensor& matrix, const Tensor& rhs, const SolveOptions& options = {});

/// The inverses of square matrices [..., m, m]. A singular one is an error. float32, float64.
///   inv({{2.f, 0.f}, {0.f, 4.f}})  ->  {{0.5, 0}, {0, 0.25}}
Tensor inv(const Tensor& input, const SolveOptions& options = {});

}  // namespace linalg

/// The op behind `solve`. Both inputs have the same batch dimensions.
struct Solve final : MatrixOp<Solve>, linalg::SolveOptions {
  static constexpr const char* kName = "solve";

  explicit Solve(const linalg::SolveOptions& options = {}) : SolveOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

/// The op behind `inv`.
struct Inv final : MatrixOp<Inv>, linalg::SolveOptions {
  static constexpr const char* kName = "inv";

  explicit Inv(const linalg::SolveOptions& options = {}) : SolveOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {0}}; }
};

/// What an op gives that solves for a square matrix and right-hand sides of the same batch.
Specs infer_solution(const char* who, SpecRefs inputs);

}  // namespace alula
