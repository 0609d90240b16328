#pragma once
#include "alula/runtime/dispatch.h"

/// Tensors of one value. Without inputs, they are made on the device of the scope.
namespace alula {

/// A tensor whose elements are all `value`; of the dtype that TensorFlow gives the number, or of
/// another that can hold it.
///   fill({2, 2}, 7)  ->  {{7, 7}, {7, 7}}
Tensor fill(const Shape& dims, Number value);
Tensor fill(const Shape& dims, Number value, DType dtype);

/// Tensors of zeros (false for bool), or of ones (true).
///   zeros({3})         ->  {0.f, 0.f, 0.f}
///   ones({2}, int32)   ->  {1, 1}
Tensor zeros(const Shape& shape, DType dtype = float32);
Tensor ones(const Shape& shape, DType dtype = float32);

/// Zeros, or ones, of the shape and dtype of a tensor, and on its device.
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);

/// Whether a number can be an element: as Number::fits, but 0 and 1 are also bools.
bool is_element(Number value, DType dtype);
/// Writes it as one.
void store_element(Number value, DType dtype, void* element);

/// The op behind `fill`, `zeros` and `ones`.
struct Fill final : OpOf<Fill> {
  static constexpr const char* kName = "fill";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr bool kDifferentiable = false;

  Shape shape;
  Number value;
  DType dtype;

  Fill(const Shape& shape, Number value, DType dtype) : shape(shape), value(value), dtype(dtype) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
};

/// The op behind `zeros_like`.
struct ZerosLike final : OpOf<ZerosLike> {
  static constexpr const char* kName = "zeros_like";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr bool kDifferentiable = false;

  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

/// The op behind `ones_like`.
struct OnesLike final : OpOf<OnesLike> {
  static constexpr const char* kName = "ones_like";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  static constexpr bool kDifferentiable = false;

  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

}  // namespace alula
