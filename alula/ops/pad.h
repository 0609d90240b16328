#pragma once
#include "alula/ops/data_movement.h"

namespace alula {

/// How many elements are added before and after a dimension.
struct PadSize {
  int64_t before = 0;
  int64_t after = 0;
};
using Paddings = InlineVector<PadSize, kMaxRank>;

enum class PadMode : uint8_t {
  kConstant,   // 0 0 | 1 2 3 | 0 0
  kReflect,    // 3 2 | 1 2 3 | 2 1
  kSymmetric,  // 2 1 | 1 2 3 | 3 2
};

struct PadOptions {
  PadMode mode = PadMode::kConstant;
  Number constant_values = 0;  // strings are padded with empty ones
};

/// The tensor with a border: before and after each dimension.
///   pad({1, 2, 3}, {{1, 2}})                                ->  {0, 1, 2, 3, 0, 0}
///   pad({1, 2, 3}, {{2, 0}}, {.mode = PadMode::kReflect})   ->  {3, 2, 1, 2, 3}
Tensor pad(const Tensor& x, const Paddings& paddings, const PadOptions& options = {});

/// The op behind `pad`.
struct Pad final : OpOf<Pad>, PadOptions {
  static constexpr const char* kName = "pad";
  static constexpr DTypeSet kDTypes = kAnyType;

  Paddings paddings;

  explicit Pad(const Paddings& paddings, const PadOptions& options = {})
      : PadOptions(options), paddings(paddings) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

}  // namespace alula
