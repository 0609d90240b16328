#include "alula/ops/conv2d_transpose.h"

#include "alula/ops/batching.h"
#include "alula/ops/conv2d_backprop_filter.h"

namespace alula {
namespace {

const RegisterOp<Conv2DBackpropInput> registered;

/// Checks in the words of conv2d_transpose, whose users know nothing of gradients.
void check_transpose(const Spec& input, const Spec& filter, const Shape& output_shape,
                     const Conv2DOptions& options) {
  constexpr const char* kName = "conv2d_transpose";
  require(output_shape.rank() == 4,
          "{}: output_shape must be [batch, height, width, channels]. Got {}.", kName,
          output_shape);
  require(filter.rank() == 4,
          "{}: the filter must be [height, width, out_channels / groups, in_channels]. Got {}.",
          kName, filter);
  const Shape wanted =
      conv2d_result(conv2d_shape(kName, {input.dtype, output_shape}, filter, options));
  require(input.rank() == 4 && compatible(input.shape, wanted),
          "{}: to make {} with this filter, the input must be {}. Got input {}, filter {}.", kName,
          output_shape, wanted, input, filter);
}

}  // namespace

Tensor conv2d_transpose(const Tensor& input, const Tensor& filter, const Shape& output_shape,
                        const Conv2DOptions& options) {
  require(input.defined() && filter.defined(), "conv2d_transpose: an input is not defined yet.");
  check_transpose(input.spec(), filter.spec(), output_shape, options);
  return call(Conv2DBackpropInput(output_shape, options), filter, input);
}

Tensor conv2d_backprop_input(const Shape& input_shape, const Tensor& filter, const Tensor& gradient,
                             const Conv2DOptions& options) {
  return call(Conv2DBackpropInput(input_shape, options), filter, gradient);
}

Specs Conv2DBackpropInput::infer(SpecRefs inputs) const {
  const Spec &filter = inputs[0], &gradient = inputs[1];
  require(kDTypes.contains(filter.dtype), "{}: takes {}. Got filter {}, gradient {}. Use cast().",
          kName, to_string(kDTypes), filter, gradient);
  require(filter.dtype == gradient.dtype,
          "{}: the dtypes differ. Got filter {}, gradient {}. Use cast().", kName, filter,
          gradient);
  const Spec input{filter.dtype, input_shape};
  const Shape wanted = conv2d_result(conv2d_shape(kName, input, filter, *this));
  require(gradient.rank() == 4 && compatible(gradient.shape, wanted),
          "{}: the gradient must be {}, as conv2d of {} with the filter makes it. Got filter {}, "
          "gradient {}.",
          kName, wanted, input, filter, gradient);
  return {input};
}

Cost Conv2DBackpropInput::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = conv2d_shape(kName, outputs[0], inputs[0], *this).flops();
  return cost;
}

/// What multiplies an element of the filter with one of the gradient is an element of the input.
Gradients Conv2DBackpropInput::gradient(const Recorded& call) const {
  const Tensor& input = call.dy();
  Gradients gradients{Tensor(), Tensor()};
  if (call.wants(0))
    gradients[0] = conv2d_backprop_filter(input, call.input_spec(0).shape, call.input(1), *this);
  if (call.wants(1)) gradients[1] = conv2d(input, call.input(0), *this);
  return gradients;
}

Needs Conv2DBackpropInput::needs(IndexSet wanted) const { return needs_of_product(wanted); }

/// As in conv2d: images of one batch, or groups of channels.
Tensors Conv2DBackpropInput::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const BatchedInput &filter = inputs[0], &gradient = inputs[1];
  if (!filter.batched) {
    const Shape shape = input_shape.with(0, input_shape[0] * size);
    const Tensor folded = batching::folded(gradient.value);
    return {batching::unfolded(conv2d_backprop_input(shape, filter.value, folded, *this), size)};
  }
  const Shape shape = input_shape.with(3, input_shape[3] * size);
  const Tensor merged = batching::merged(batching::repeated(gradient, size), 3);
  const Tensor filters = batching::merged(filter.value, 3);
  return {batching::parted(conv2d_backprop_input(shape, filters, merged, *this), 3, size)};
}

Attributes Conv2DBackpropInput::attributes() const {
  Attributes attributes = attributes_of(*this);
  attributes.emplace_back("input_shape", input_shape);
  return attributes;
}

}  // namespace alula
