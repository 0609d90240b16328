#pragma once
#include "alula/ops/axes.h"
#include "alula/ops/data_movement.h"

namespace alula {

/// The dimensions in another order: the result's dimension i is x's dimension perm[i]. All in
/// reverse if none are given.
///   transpose({{1, 2, 3}, {4, 5, 6}})  ->  {{1, 4}, {2, 5}, {3, 6}}
///   transpose(images, {0, 3, 1, 2})    [batch, height, width, channels] to channels first
Tensor transpose(const Tensor& x, const Axes& perm = {});

/// The op behind `transpose`.
struct Transpose final : OpOf<Transpose> {
  static constexpr const char* kName = "transpose";
  static constexpr DTypeSet kDTypes = kAnyType;

  Axes perm;

  explicit Transpose(const Axes& perm = {}) : perm(perm) {}
  /// Which of `rank` dimensions of the input comes at place i.
  Ints order(int rank) const;
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
