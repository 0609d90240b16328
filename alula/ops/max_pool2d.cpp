#include "alula/ops/max_pool2d.h"

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<MaxPool2D> registered;
const RegisterOp<MaxPool2DGradient> gradient_registered;
const RegisterOp<MaxPool2DPick> pick_registered;

double comparisons(const Pool2DOptions& options, const Spec& output) {
  return static_cast<double>(output.shape.size()) * static_cast<double>(options.ksize.height) *
         static_cast<double>(options.ksize.width);
}

}  // namespace

Tensor max_pool2d(const Tensor& input, const Pool2DOptions& options) {
  return call(MaxPool2D(options), input);
}

Tensor max_pool2d_gradient(const Tensor& input, const Tensor& output, const Tensor& gradient,
                           const Pool2DOptions& options) {
  return call(MaxPool2DGradient(options), input, output, gradient);
}

Tensor max_pool2d_pick(const Tensor& input, const Tensor& output, const Tensor& values,
                       const Pool2DOptions& options) {
  return call(MaxPool2DPick(options), input, output, values);
}

Windows pool2d_windows(const char* who, const Spec& input, const Pool2DOptions& options) {
  require(input.rank() == 4, "{}: the input must be [batch, height, width, channels]. Got {}.", who,
          input);
  const Windows windows =
      slide(who, {input.shape[1], input.shape[2]},
            {.size = options.ksize, .strides = options.strides, .padding = options.padding}, input);
  // A window of padding only would have no value.
  require(windows.y.before < windows.y.size && windows.y.after < windows.y.size &&
              windows.x.before < windows.x.size && windows.x.after < windows.x.size,
          "{}: the padding must be smaller than the window, {}. Got top {}, bottom {}, left {}, "
          "right {}.",
          who, options.ksize, windows.y.before, windows.y.after, windows.x.before, windows.x.after);
  return windows;
}

Shape pool2d_result(const Shape& input, const Windows& windows) {
  return {input[0], windows.y.output, windows.x.output, input[3]};
}

Specs MaxPool2D::infer(SpecRefs inputs) const {
  const Spec& input = inputs[0];
  require(kDTypes.contains(input.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), input);
  return {input.with(pool2d_result(input.shape, pool2d_windows(kName, input, *this)))};
}

Cost MaxPool2D::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = comparisons(*this, outputs[0]);
  return cost;
}

Gradients MaxPool2D::gradient(const Recorded& call) const {
  return {max_pool2d_gradient(call.input(), call.output(), call.dy(), *this)};
}

Specs MaxPool2DGradient::infer(SpecRefs inputs) const {
  const Spec &input = inputs[0], &output = inputs[1], &gradient = inputs[2];
  require(kDTypes.contains(input.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), inputs);
  require(output.dtype == input.dtype && gradient.dtype == input.dtype,
          "{}: the dtypes differ. Got {}. Use cast().", kName, inputs);
  const Shape wanted = pool2d_result(input.shape, pool2d_windows(kName, input, *this));
  require(compatible(output.shape, wanted) && compatible(gradient.shape, wanted),
          "{}: the output and its gradient must be {}, as max_pool2d makes it. Got {}.", kName,
          wanted, inputs);
  return {input};
}

Cost MaxPool2DGradient::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = comparisons(*this, inputs[1]);
  return cost;
}

/// Which elements win does not depend on how large they are, up to a tie.
Gradients MaxPool2DGradient::gradient(const Recorded& call) const {
  if (!call.wants(2)) return {Tensor(), Tensor(), Tensor()};
  return {Tensor(), Tensor(), max_pool2d_pick(call.input(0), call.input(1), call.dy(), *this)};
}

Specs MaxPool2DPick::infer(SpecRefs inputs) const {
  const Spec &input = inputs[0], &output = inputs[1], &values = inputs[2];
  require(kDTypes.contains(input.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), inputs);
  require(output.dtype == input.dtype && values.dtype == input.dtype,
          "{}: the dtypes differ. Got {}. Use cast().", kName, inputs);
  require(compatible(values.shape, input.shape),
          "{}: the values must have the input's shape. Got {}.", kName, inputs);
  const Shape wanted = pool2d_result(input.shape, pool2d_windows(kName, input, *this));
  require(compatible(output.shape, wanted),
          "{}: the output must be {}, as max_pool2d makes it. Got {}.", kName, wanted, inputs);
  return {input.with(wanted)};
}

Cost MaxPool2DPick::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = comparisons(*this, outputs[0]);
  return cost;
}

Gradients MaxPool2DPick::gradient(const Recorded& call) const {
  if (!call.wants(2)) return {Tensor(), Tensor(), Tensor()};
  return {Tensor(), Tensor(), max_pool2d_gradient(call.input(0), call.input(1), call.dy(), *this)};
}

/// The images of all calls are one batch.
Tensors MaxPool2D::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(*this, inputs, size);
}
Tensors MaxPool2DGradient::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(*this, inputs, size);
}
Tensors MaxPool2DPick::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(*this, inputs, size);
}

Attributes attributes_of(const Pool2DOptions& options) {
  return {{"ksize", options.ksize}, {"strides", options.strides}, {"padding", options.padding}};
}

}  // namespace alula
