#include "alula/ops/max_pool2d.h"

namespace alula {
namespace {

const RegisterOp<MaxPool2D> registered;
const RegisterOp<MaxPool2DGradient> gradient_registered;

}  // namespace

Tensor max_pool2d(const Tensor& input, const Pool2DOptions& options) {
  return call(MaxPool2D(options), input);
}

Tensor max_pool2d_gradient(const Tensor& input, const Tensor& output, const Tensor& gradient,
                           const Pool2DOptions& options) {
  return call(MaxPool2DGradient(options), input, output, gradient);
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
  cost.flops *= static_cast<double>(ksize.height) * static_cast<double>(ksize.width);
  return cost;
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
  cost.flops = static_cast<double>(inputs[1].shape.size()) * static_cast<double>(ksize.height) *
               static_cast<double>(ksize.width);
  return cost;
}

}  // namespace alula
