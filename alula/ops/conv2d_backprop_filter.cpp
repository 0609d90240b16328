#include "alula/ops/conv2d_backprop_filter.h"

#include "alula/ops/batching.h"
#include "alula/ops/conv2d_transpose.h"

namespace alula {
namespace {

const RegisterOp<Conv2DBackpropFilter> registered;

}  // namespace

Tensor conv2d_backprop_filter(const Tensor& input, const Shape& filter_shape,
                              const Tensor& gradient, const Conv2DOptions& options) {
  return call(Conv2DBackpropFilter(filter_shape, options), input, gradient);
}

Specs Conv2DBackpropFilter::infer(SpecRefs inputs) const {
  const Spec &input = inputs[0], &gradient = inputs[1];
  require(kDTypes.contains(input.dtype), "{}: takes {}. Got input {}, gradient {}. Use cast().",
          kName, to_string(kDTypes), input, gradient);
  require(input.dtype == gradient.dtype,
          "{}: the dtypes differ. Got input {}, gradient {}. Use cast().", kName, input, gradient);
  const Spec filter{input.dtype, filter_shape};
  const Shape wanted = conv2d_result(conv2d_shape(kName, input, filter, *this));
  require(
      gradient.rank() == 4 && compatible(gradient.shape, wanted),
      "{}: the gradient must be {}, as conv2d with the filter {} makes it. Got input {}, gradient "
      "{}.",
      kName, wanted, filter, input, gradient);
  return {filter};
}

Cost Conv2DBackpropFilter::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = conv2d_shape(kName, inputs[0], outputs[0], *this).flops();
  return cost;
}

/// What multiplies an element of the input with one of the gradient is an element of the filter.
Gradients Conv2DBackpropFilter::gradient(const Recorded& call) const {
  const Tensor& filter = call.dy();
  Gradients gradients{Tensor(), Tensor()};
  if (call.wants(0))
    gradients[0] = conv2d_backprop_input(call.input_spec(0).shape, filter, call.input(1), *this);
  if (call.wants(1)) gradients[1] = conv2d(call.input(0), filter, *this);
  return gradients;
}

Needs Conv2DBackpropFilter::needs(IndexSet wanted) const { return needs_of_product(wanted); }

/// Each call is a group, or groups, of channels; images that are the same for all need none.
Tensors Conv2DBackpropFilter::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const BatchedInput& input = inputs[0];
  const bool shared = !input.batched && input.value.shape()[3] == filter_shape[2];
  const Tensor images = shared ? input.value : batching::merged(batching::repeated(input, size), 3);
  const Tensor gradient = batching::merged(batching::repeated(inputs[1], size), 3);
  const Shape filters = filter_shape.with(3, filter_shape[3] * size);
  return {batching::parted(conv2d_backprop_filter(images, filters, gradient, *this), 3, size)};
}

Attributes Conv2DBackpropFilter::attributes() const {
  Attributes attributes = attributes_of(*this);
  attributes.emplace_back("filter_shape", filter_shape);
  return attributes;
}

}  // namespace alula
