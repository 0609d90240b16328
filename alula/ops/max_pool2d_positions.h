#pragma once
#include "alula/ops/max_pool2d.h"

/// Max pooling that also says which element of each window won, and the gradient made of that: what
/// the compiler puts in place of max_pool2d and its gradient, which would need the whole input.
namespace alula {

/// The most elements that a window can have for its winner's position to fit.
inline constexpr int64_t kMostPositions = 256;

/// max_pool2d, and the position of each window's first largest value: row * width + column within
/// the window, padding included. positions: uint8, like the result.
///   max_pool2d_with_positions({{{{1}, {2}}, {{3}, {0}}}})  ->  {{{{3}}}}, {{{{2}}}}
Tensors max_pool2d_with_positions(const Tensor& input, const Pool2DOptions& options = {});

/// The op behind `max_pool2d_with_positions`.
struct MaxPool2DWithPositions final : OpOf<MaxPool2DWithPositions>, Pool2DOptions {
  static constexpr const char* kName = "max_pool2d_with_positions";
  static constexpr DTypeSet kDTypes = {float32, float64};
  static constexpr bool kDifferentiable = false;

  explicit MaxPool2DWithPositions(const Pool2DOptions& options = {}) : Pool2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Attributes attributes() const override;
};

/// Puts each window's value where its winner was: zeros elsewhere, sums where windows overlap.
/// values: [batch, out_height, out_width, channels], positions: as max_pool2d_with_positions made
/// them of images of `shape`. The gradient of max_pool2d, if the values are that of its result.
Tensor max_pool2d_scatter(const Tensor& values, const Tensor& positions, const Shape& shape,
                          const Pool2DOptions& options = {});

/// The op behind `max_pool2d_scatter`.
struct MaxPool2DScatter final : OpOf<MaxPool2DScatter>, Pool2DOptions {
  static constexpr const char* kName = "max_pool2d_scatter";
  static constexpr DTypeSet kDTypes = {float32, float64};
  static constexpr bool kDifferentiable = false;
  Shape shape;

  explicit MaxPool2DScatter(const Shape& shape = {0, 2, 2, 0}, const Pool2DOptions& options = {})
      : Pool2DOptions(options), shape(shape) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
};

/// What stands in `values`, which lie like the images, where each window's winner was.
/// values: [batch, height, width, channels], positions: as max_pool2d_with_positions made them.
Tensor max_pool2d_gather(const Tensor& values, const Tensor& positions,
                         const Pool2DOptions& options = {});

/// The op behind `max_pool2d_gather`.
struct MaxPool2DGather final : OpOf<MaxPool2DGather>, Pool2DOptions {
  static constexpr const char* kName = "max_pool2d_gather";
  static constexpr DTypeSet kDTypes = {float32, float64};
  static constexpr bool kDifferentiable = false;

  explicit MaxPool2DGather(const Pool2DOptions& options = {}) : Pool2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Attributes attributes() const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
};

/// Checks values at winners' positions: what max_pool2d would make of images `pooled`.
void check_at_positions(const char* who, const Spec& pooled, const Pool2DOptions& options,
                        const Spec& values, const Spec& positions);

/// The attributes of pooling.
Attributes pool2d_attributes(const Pool2DOptions& options);

}  // namespace alula
