#include "alula/ops/avg_pool2d.h"

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<AvgPool2D> registered;
const RegisterOp<AvgPool2DGradient> gradient_registered;

}  // namespace

Tensor avg_pool2d(const Tensor& input, const Pool2DOptions& options) {
  return call(AvgPool2D(options), input);
}

Tensor avg_pool2d_gradient(const Shape& input_shape, const Tensor& gradient,
                           const Pool2DOptions& options) {
  return call(AvgPool2DGradient(input_shape, options), gradient);
}

Specs AvgPool2D::infer(SpecRefs inputs) const {
  const Spec& input = inputs[0];
  require(kDTypes.contains(input.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), input);
  return {input.with(pool2d_result(input.shape, pool2d_windows(kName, input, *this)))};
}

Cost AvgPool2D::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops *= static_cast<double>(ksize.height) * static_cast<double>(ksize.width);
  return cost;
}

Specs AvgPool2DGradient::infer(SpecRefs inputs) const {
  const Spec& gradient = inputs[0];
  require(kDTypes.contains(gradient.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), gradient);
  const Spec input{gradient.dtype, input_shape};
  const Shape wanted = pool2d_result(input_shape, pool2d_windows(kName, input, *this));
  require(compatible(gradient.shape, wanted),
          "{}: the gradient must be {}, as avg_pool2d makes it of {}. Got {}.", kName, wanted,
          input, gradient);
  return {input};
}

Cost AvgPool2DGradient::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = static_cast<double>(inputs[0].shape.size()) * static_cast<double>(ksize.height) *
               static_cast<double>(ksize.width);
  return cost;
}

Gradients AvgPool2D::gradient(const Recorded& call) const {
  return {avg_pool2d_gradient(call.input_spec().shape, call.dy(), *this)};
}

Gradients AvgPool2DGradient::gradient(const Recorded& call) const {
  return {avg_pool2d(call.dy(), *this)};
}

/// The images of all calls are one batch.
Tensors AvgPool2D::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(*this, inputs, size);
}
Tensors AvgPool2DGradient::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const Shape shape = input_shape.with(0, input_shape[0] * size);
  return batching::with_folded(AvgPool2DGradient(shape, *this), inputs, size);
}

Attributes AvgPool2DGradient::attributes() const {
  Attributes attributes = attributes_of(*this);
  attributes.emplace_back("input_shape", input_shape);
  return attributes;
}

}  // namespace alula
