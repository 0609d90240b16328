#pragma once
#include "alula/ops/data_movement.h"

namespace alula {

/// A block of a tensor: from `begin`, `size` elements along each axis; -1 takes all that follow.
///   slice({{1, 2, 3}, {4, 5, 6}}, {0, 1}, {2, -1})  ->  {{2, 3}, {5, 6}}
Tensor slice(const Tensor& x, const Ints& begin, const Ints& size);

/// A part of one dimension, and all of the others.
Tensor slice_along(const Tensor& x, int axis, int64_t begin, int64_t size);

/// The op behind `slice`.
struct Slice final : OpOf<Slice> {
  static constexpr const char* kName = "slice";
  static constexpr DTypeSet kDTypes = kAnyType;

  Ints begin, size;

  Slice(const Ints& begin, const Ints& size) : begin(begin), size(size) {}
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
