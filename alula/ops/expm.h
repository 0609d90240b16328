#pragma once
#include "alula/ops/matrix_op.h"

namespace alula {

namespace linalg {

/// The exponential 1 + A + A A / 2! + … of square matrices [..., m, m]. float32, float64.
///   expm({{0.f, 1.f}, {0.f, 0.f}})  ->  {{1, 1}, {0, 1}}
Tensor expm(const Tensor& input);

}  // namespace linalg

/// The op behind it.
struct Expm final : MatrixOp<Expm> {
  static constexpr const char* kName = "expm";

  Specs infer(SpecRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {0}, .outputs = {}}; }
};

}  // namespace alula
