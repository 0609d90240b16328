#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// Functions of the bits of integers, elementwise with broadcasting.
namespace bitwise {

///   bitwise_and({12}, {10})  ->  {8}
Tensor bitwise_and(const Tensor& x, const Tensor& y);
///   bitwise_or({12}, {10})  ->  {14}
Tensor bitwise_or(const Tensor& x, const Tensor& y);
///   bitwise_xor({12}, {10})  ->  {6}
Tensor bitwise_xor(const Tensor& x, const Tensor& y);
/// Every bit turned round.
///   invert({0, 5})  ->  {-1, -6}
Tensor invert(const Tensor& x);
/// x moved up by y bits; y below 0 counts as 0, and y beyond the last bit as that bit.
///   left_shift({3}, {2})  ->  {12}
Tensor left_shift(const Tensor& x, const Tensor& y);
/// x moved down by y bits; of a negative x the sign is kept. y as for left_shift.
///   right_shift({-16}, {2})  ->  {-4}
Tensor right_shift(const Tensor& x, const Tensor& y);

enum class Kind : uint8_t { kAnd, kOr, kXor, kLeftShift, kRightShift };

}  // namespace bitwise

/// The op behind these functions. Inputs: two of the same integer type and shape.
struct Bitwise final : OpOf<Bitwise> {
  static constexpr const char* kName = "bitwise";
  static constexpr DTypeSet kDTypes = kIntegers;
  static constexpr bool kDifferentiable = false;
  bitwise::Kind kind;
  explicit Bitwise(bitwise::Kind kind = bitwise::Kind::kAnd) : kind(kind) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
};

}  // namespace alula
