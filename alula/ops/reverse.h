#pragma once
#include "alula/ops/axes.h"
#include "alula/ops/data_movement.h"

namespace alula {

/// The elements in reverse order along the given axes; along all of them if none are given.
///   reverse({{1, 2}, {3, 4}}, 0)  ->  {{3, 4}, {1, 2}}
Tensor reverse(const Tensor& x, const Axes& axis = {});

/// The elements moved on by `shift` along an axis; what leaves at the end comes back at the start.
/// Several axes take as many shifts.
///   roll({1, 2, 3, 4}, {1}, {0})  ->  {4, 1, 2, 3}
Tensor roll(const Tensor& x, const Ints& shift, const Ints& axis);

/// The op behind `reverse`.
struct Reverse final : OpOf<Reverse> {
  static constexpr const char* kName = "reverse";
  static constexpr DTypeSet kDTypes = kAnyType;

  Axes axis;

  explicit Reverse(const Axes& axis) : axis(axis) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec> outputs) const override {
    return copying_cost(outputs);
  }
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

/// The op behind `roll`.
struct Roll final : OpOf<Roll> {
  static constexpr const char* kName = "roll";
  static constexpr DTypeSet kDTypes = kAnyType;

  Ints shift, axis;

  Roll(const Ints& shift, const Ints& axis) : shift(shift), axis(axis) {}
  /// How far each dimension is moved on: at least 0, less than its size.
  Ints shifts(const Shape& shape) const;
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
