#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

/// The determinants of square matrices: [..., m, m] -> [...]. Its gradient needs the inverse, and
/// is an error for a singular matrix. float32, float64.
///   det({{1.f, 2.f}, {3.f, 4.f}})  ->  -2
Tensor det(const Tensor& input);

struct SlogdetResult {
  Tensor sign;                 // -1, 0 or 1
  Tensor log_abs_determinant;  // -infinity where the sign is 0
};
/// The sign and the logarithm of the size of determinants, which neither overflow nor vanish:
/// [..., m, m] -> [...]. float32, float64.
///   slogdet({{1.f, 2.f}, {3.f, 4.f}})  ->  sign -1, log_abs_determinant 0.6931472
SlogdetResult slogdet(const Tensor& input);

}  // namespace linalg

/// The op behind `det`.
struct Det final : MatrixOp<Det> {
  static constexpr const char* kName = "det";

  Specs infer(SpecRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;
};

/// The op behind `slogdet`.
struct Slogdet final : MatrixOp<Slogdet> {
  static constexpr const char* kName = "slogdet";

  Specs infer(SpecRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {0}, .outputs = {}}; }
};

}  // namespace alula
