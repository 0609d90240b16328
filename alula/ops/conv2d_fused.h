#pragma once
#include "alula/ops/conv2d.h"
#include "alula/ops/max_pool2d_positions.h"
#include "alula/scalar/program.h"

namespace alula {

/// A convolution and what follows it, in one call: max pooling, and a scalar program over what is
/// then left, such as bias and activation. Made by the compiler, so that the convolution's result
/// is never written. Where there is pooling, the program runs on pooled values: right only for
/// functions that don't change which value is the largest.
///
/// Inputs: input and filter, as conv2d's; then the program's further inputs, each of the
/// result's shape or the same for all pixels. Outputs: the program's results, or without one the
/// values themselves; then, if asked for, the positions of the windows' winners.
struct Conv2DFused final : OpOf<Conv2DFused>, Conv2DOptions {
  static constexpr const char* kName = "conv2d_fused";
  static constexpr DTypeSet kDTypes = {float32, float64};
  static constexpr bool kDifferentiable = false;
  enum class Pooling : uint8_t { kNone, kMax, kMaxWithPositions };

  Pooling pooling = Pooling::kNone;
  Pool2DOptions pool;
  /// Its first input is the value. It must outlive the op and its clones.
  const scalar::Program* epilogue = nullptr;

  explicit Conv2DFused(const Conv2DOptions& options = {}) : Conv2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Attributes attributes() const override;

  /// The values that the program gets.
  Spec pooled(const Spec& input, const Spec& filter) const;
};

/// Whether an operand has the values' shape, or is the same for all of their pixels.
bool fits_pixels(const Shape& operand, const Shape& values);

/// The attributes of a convolution.
Attributes conv2d_attributes(const Conv2DOptions& options);

}  // namespace alula
