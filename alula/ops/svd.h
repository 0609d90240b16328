#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

struct SvdOptions {
  bool full_matrices = false;  // whether u and v are square
};
struct SvdResult {
  Tensor s;  // singular values, largest first: [..., k], k = min(m, n)
  Tensor u;  // orthogonal columns: [..., m, k], or [..., m, m]
  Tensor v;  // orthogonal columns: [..., n, k], or [..., n, n]
};
/// Matrices [..., m, n] as products u * diag(s) * v'. The gradient is not there for full matrices
/// that are not square. float32, float64.
///   svd({{0.f, 2.f}, {1.f, 0.f}})  ->  s {2, 1}, u and v of signs that are left open
SvdResult svd(const Tensor& tensor, const SvdOptions& options = {});
/// The singular values alone, what TensorFlow's compute_uv = False gives: [..., m, n] -> [..., k].
Tensor singular_values(const Tensor& tensor);

}  // namespace linalg

/// The op behind both.
struct Svd final : MatrixOp<Svd>, linalg::SvdOptions {
  static constexpr const char* kName = "svd";

  bool compute_uv = true;  // else the singular values are the only output

  explicit Svd(const linalg::SvdOptions& options = {}) : SvdOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

}  // namespace alula
