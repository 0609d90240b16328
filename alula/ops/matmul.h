#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

struct MatMulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
};

/// The product of two matrices. Leading dimensions are batches, and broadcast.
/// a: [..., m, k], b: [..., k, n], result: [..., m, n]. Numbers.
///   matmul({{1.f, 2.f}, {3.f, 4.f}}, {{5.f, 6.f}, {7.f, 8.f}})  ->  {{19, 22}, {43, 50}}
Tensor matmul(const Tensor& a, const Tensor& b, const MatMulOptions& options = {});

/// The op behind `matmul`.
struct MatMul final : OpOf<MatMul>, MatMulOptions {
  static constexpr const char* kName = "matmul";
  static constexpr DTypeSet kDTypes = kNumeric;

  explicit MatMul(const MatMulOptions& options = {}) : MatMulOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

}  // namespace alula
