#pragma once
#include "alula/ops/window.h"
#include "alula/runtime/dispatch.h"

namespace alula {

struct Conv2DOptions {
  Size2 strides = 1;
  Padding padding = Padding::kValid;
  Size2 dilations = 1;
};
Attributes attributes_of(const Conv2DOptions& options);

/// The cross-correlation of images with filters.
/// input: [batch, height, width, in_channels], filter: [height, width, in_channels / groups,
/// out_channels], result: [batch, out_height, out_width, out_channels]. Floating types and int32.
/// A filter that takes fewer channels than the input has makes groups: each group of output
/// channels looks at its own group of input channels.
///   conv2d(images, filter, {.strides = 2, .padding = "SAME"})
///   conv2d(ones({1, 3, 3, 1}), ones({2, 2, 1, 1}))  ->  {{{{4}, {4}}, {{4}, {4}}}}
Tensor conv2d(const Tensor& input, const Tensor& filter, const Conv2DOptions& options = {});

/// The op behind `conv2d`.
struct Conv2D final : OpOf<Conv2D>, Conv2DOptions {
  static constexpr const char* kName = "conv2d";
  static constexpr DTypeSet kDTypes = kFloating | DTypeSet{int32};

  explicit Conv2D(const Conv2DOptions& options = {}) : Conv2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

/// The shapes of a convolution, forward or backward, all sizes known.
struct Conv2DShape {
  int64_t batch = 0;
  Windows windows;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;

  int64_t taps() const { return windows.y.size * windows.x.size; }
  int64_t group_in() const { return in_channels / groups; }
  int64_t group_out() const { return out_channels / groups; }
  double flops() const;
};

/// The shapes of conv2d(input, filter), or an error that names `who`. Sizes may be unknown: the
/// number of groups is 1 then.
Conv2DShape conv2d_shape(const char* who, const Spec& input, const Spec& filter,
                         const Conv2DOptions& options);

/// What the gradient of an op needs that is linear in each of its two inputs: for the one, the
/// other.
Needs needs_of_product(IndexSet wanted);

/// What `conv2d` would return for that shape; unknown sizes stay unknown.
Shape conv2d_result(const Conv2DShape& shape);

}  // namespace alula
