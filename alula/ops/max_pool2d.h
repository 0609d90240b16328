#pragma once
#include "alula/ops/window.h"
#include "alula/runtime/dispatch.h"

namespace alula {

struct Pool2DOptions {
  Size2 ksize = 2;
  Size2 strides = 2;
  Padding padding = Padding::kValid;
};
Attributes attributes_of(const Pool2DOptions& options);

/// The largest value of each window; padding does not count, NaN wins.
/// input: [batch, height, width, channels], result: [batch, out_height, out_width, channels].
/// Numbers.
///   max_pool2d(images, {.ksize = 3, .strides = 2, .padding = "SAME"})
Tensor max_pool2d(const Tensor& input, const Pool2DOptions& options = {});

/// The op behind `max_pool2d`.
struct MaxPool2D final : OpOf<MaxPool2D>, Pool2DOptions {
  static constexpr const char* kName = "max_pool2d";
  static constexpr DTypeSet kDTypes = kNumeric;

  explicit MaxPool2D(const Pool2DOptions& options = {}) : Pool2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
};

/// The gradient of max_pool2d with respect to its input: each window's gradient goes to the first
/// of its largest values. input, output: what max_pool2d took and made; gradient: like output.
Tensor max_pool2d_gradient(const Tensor& input, const Tensor& output, const Tensor& gradient,
                           const Pool2DOptions& options = {});

/// The op behind `max_pool2d_gradient`.
struct MaxPool2DGradient final : OpOf<MaxPool2DGradient>, Pool2DOptions {
  static constexpr const char* kName = "max_pool2d_gradient";
  static constexpr DTypeSet kDTypes = kNumeric;

  explicit MaxPool2DGradient(const Pool2DOptions& options = {}) : Pool2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {0, 1}, .outputs = {}}; }
};

/// What stands in `values` where max_pool2d found each window's (first) largest value: the gradient
/// of max_pool2d_gradient with respect to its gradient. input, output: what max_pool2d took and
/// made; values: like input; result: like output.
Tensor max_pool2d_pick(const Tensor& input, const Tensor& output, const Tensor& values,
                       const Pool2DOptions& options = {});

/// The op behind `max_pool2d_pick`.
struct MaxPool2DPick final : OpOf<MaxPool2DPick>, Pool2DOptions {
  static constexpr const char* kName = "max_pool2d_pick";
  static constexpr DTypeSet kDTypes = kNumeric;

  explicit MaxPool2DPick(const Pool2DOptions& options = {}) : Pool2DOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override { return attributes_of(*this); }
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {0, 1}, .outputs = {}}; }
};

/// The windows of a pooling op, or an error that names `who`.
Windows pool2d_windows(const char* who, const Spec& input, const Pool2DOptions& options);
/// The shape that pooling makes of an input's.
Shape pool2d_result(const Shape& input, const Windows& windows);

}  // namespace alula
