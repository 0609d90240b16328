#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

struct QrOptions {
  bool full_matrices = false;  // whether q is square, or has as many columns as r has rows
};
struct QrResult {
  Tensor q;  // orthogonal columns: [..., m, k], k = min(m, n), or m for full matrices
  Tensor r;  // upper triangular: [..., k, n]
};
/// Matrices [..., m, n] as products q * r. The gradient is not there for full matrices with m > n.
/// float32, float64.
///   qr({{3.f, 1.f}, {4.f, 2.f}})  ->  q {{-0.6, -0.8}, {-0.8, 0.6}}, r {{-5, -2.2}, {0, 0.4}}
QrResult qr(const Tensor& input, const QrOptions& options = {});

}  // namespace linalg

/// The op behind `qr`.
struct Qr final : MatrixOp<Qr>, linalg::QrOptions {
  static constexpr const char* kName = "qr";

  explicit Qr(const linalg::QrOptions& options = {}) : QrOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {0, 1}}; }
};

}  // namespace alula
