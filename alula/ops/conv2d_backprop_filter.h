#pragma once
#include "alula/ops/conv2d.h"

namespace alula {

/// The gradient of conv2d with respect to its filter, which had `filter_shape`.
/// input: as conv2d's, gradient: like conv2d's result. Floating types.
Tensor conv2d_backprop_filter(const Tensor& input, const Shape& filter_shape,
                              const Tensor& gradient, const Conv2DOptions& options = {});

/// The op behind `conv2d_backprop_filter`. Inputs: input, gradient.
struct Conv2DBackpropFilter final : OpOf<Conv2DBackpropFilter>, Conv2DOptions {
  static constexpr const char* kName = "conv2d_backprop_filter";
  static constexpr DTypeSet kDTypes = kFloating;
  Shape filter_shape;

  explicit Conv2DBackpropFilter(const Shape& filter_shape = {1, 1, 1, 1},
                                const Conv2DOptions& options = {})
      : Conv2DOptions(options), filter_shape(filter_shape) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

}  // namespace alula
