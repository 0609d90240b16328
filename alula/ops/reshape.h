#pragma once
#include "alula/ops/axes.h"
#include "alula/runtime/dispatch.h"

/// Other shapes over the same elements. Nothing is copied.
namespace alula {

/// The same elements, in the same order, in another shape. One dimension may be -1: it takes what
/// is left.
///   reshape({{1, 2, 3}, {4, 5, 6}}, {3, -1})  ->  {{1, 2}, {3, 4}, {5, 6}}
Tensor reshape(const Tensor& x, const Shape& shape);

/// A new dimension of size 1 before `axis`; -1 puts it last.
///   expand_dims({1, 2}, 0)  ->  {{1, 2}}
Tensor expand_dims(const Tensor& x, int64_t axis);

/// Without the given dimensions, which must be of size 1; without all such if none is given.
///   squeeze({{{1}, {2}}})      ->  {1, 2}
///   squeeze({{{1}, {2}}}, 0)   ->  {{1}, {2}}
Tensor squeeze(const Tensor& x, const Axes& axis = {});

/// The tensor itself, as the result of an op.
Tensor identity(const Tensor& x);

/// What the views share: the gradient is the output's, in the input's shape.
template <class Derived>
struct ViewOp : OpOf<Derived> {
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kView = true;
  Cost cost(SpecRefs, std::span<const Spec>) const override { return {}; }
  Gradients gradient(const Recorded& call) const override {
    return {reshape(call.dy(), call.input_spec().shape)};
  }
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};

/// The op behind `reshape`.
struct Reshape final : ViewOp<Reshape> {
  static constexpr const char* kName = "reshape";

  Shape shape;  // at most one is -1

  explicit Reshape(const Shape& shape) : shape(shape) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec>) const override { return {}; }
};

/// The op behind `expand_dims`.
struct ExpandDims final : ViewOp<ExpandDims> {
  static constexpr const char* kName = "expand_dims";

  int64_t axis;

  explicit ExpandDims(int64_t axis) : axis(axis) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec>) const override { return {}; }
};

/// The op behind `squeeze`.
struct Squeeze final : ViewOp<Squeeze> {
  static constexpr const char* kName = "squeeze";

  Axes axis;

  explicit Squeeze(const Axes& axis = {}) : axis(axis) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec>) const override { return {}; }
};

/// The op behind `identity`.
struct Identity final : ViewOp<Identity> {
  static constexpr const char* kName = "identity";

  Specs infer(SpecRefs inputs) const override { return {inputs[0]}; }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs, std::span<const Spec>) const override { return {}; }
};

}  // namespace alula
