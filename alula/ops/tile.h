#pragma once
#include "alula/ops/data_movement.h"

namespace alula {

/// The tensor repeated multiples[i] times along each axis i.
///   tile({{1, 2}}, {2, 2})  ->  {{1, 2, 1, 2}, {1, 2, 1, 2}}
Tensor tile(const Tensor& x, const Ints& multiples);

/// The tensor repeated to a shape that it broadcasts to.
///   broadcast_to({{1}, {2}}, {2, 3})  ->  {{1, 1, 1}, {2, 2, 2}}
Tensor broadcast_to(const Tensor& x, const Shape& shape);

/// The op behind `tile`.
struct Tile final : OpOf<Tile> {
  static constexpr const char* kName = "tile";
  static constexpr DTypeSet kDTypes = kAnyType;

  Ints multiples;

  explicit Tile(const Ints& multiples) : multiples(multiples) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

/// The op behind `broadcast_to`.
struct BroadcastTo final : OpOf<BroadcastTo> {
  static constexpr const char* kName = "broadcast_to";
  static constexpr DTypeSet kDTypes = kAnyType;

  Shape shape;

  explicit BroadcastTo(const Shape& shape) : shape(shape) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

}  // namespace alula
