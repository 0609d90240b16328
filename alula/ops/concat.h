#pragma once
#include "alula/ops/data_movement.h"

namespace alula {

/// The tensors one after another along an axis; their other dimensions are the same.
///   concat({{{1, 2}}, {{3, 4}}}, 0)  ->  {{1, 2}, {3, 4}}
Tensor concat(std::span<const Tensor> values, int64_t axis);
Tensor concat(std::initializer_list<Tensor> values, int64_t axis);

/// Tensors of one shape beside one another along a new axis.
///   stack({{1, 2}, {3, 4}}, 1)  ->  {{1, 3}, {2, 4}}
Tensor stack(std::span<const Tensor> values, int64_t axis = 0);
Tensor stack(std::initializer_list<Tensor> values, int64_t axis = 0);

/// The op behind `concat`.
struct Concat final : OpOf<Concat> {
  static constexpr const char* kName = "concat";
  static constexpr DTypeSet kDTypes = kAnyType;

  int64_t axis;

  explicit Concat(int64_t axis) : axis(axis) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec> outputs) const override {
    return copying_cost(outputs);
  }
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

/// The op behind `stack`.
struct Stack final : OpOf<Stack> {
  static constexpr const char* kName = "stack";
  static constexpr DTypeSet kDTypes = kAnyType;

  int64_t axis;

  explicit Stack(int64_t axis) : axis(axis) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec> outputs) const override {
    return copying_cost(outputs);
  }
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

}  // namespace alula
