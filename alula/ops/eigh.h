#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

struct EighResult {
  Tensor e;  // eigenvalues in rising order: [..., m]
  Tensor v;  // eigenvectors of length 1, as columns: [..., m, m]
};
/// The eigenvalues and eigenvectors of symmetric matrices [..., m, m], of which only the lower
/// triangle is read. float32, float64.
///   eigh({{2.f, 0.f}, {0.f, 1.f}})  ->  e {1, 2}, v {{0, 1}, {1, 0}}
EighResult eigh(const Tensor& tensor);
/// The eigenvalues alone: [..., m, m] -> [..., m].
Tensor eigvalsh(const Tensor& tensor);

}  // namespace linalg

/// The op behind both.
struct Eigh final : MatrixOp<Eigh> {
  static constexpr const char* kName = "eigh";

  bool compute_v = true;  // else the eigenvalues are the only output

  Specs infer(SpecRefs inputs) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

/// x / (x^2 + a very small number): nearly 1/x, and 0 of 0. It keeps equal eigenvalues or singular
/// values from making a gradient infinite.
Tensor safe_reciprocal(const Tensor& x);

}  // namespace alula
