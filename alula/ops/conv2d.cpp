#include "alula/ops/conv2d.h"

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"
#include "alula/ops/conv2d_backprop_filter.h"
#include "alula/ops/conv2d_transpose.h"

namespace alula {
namespace {

const RegisterOp<Conv2D> registered;

}  // namespace

Tensor conv2d(const Tensor& input, const Tensor& filter, const Conv2DOptions& options) {
  return call(Conv2D(options), input, filter);
}

Conv2DShape conv2d_shape(const char* who, const Spec& input, const Spec& filter,
                         const Conv2DOptions& options) {
  require(
      input.rank() == 4,
      "{}: the input must be [batch, height, width, channels]. Got {}. Use expand_dims() to add a "
      "batch or channels.",
      who, input);
  require(filter.rank() == 4,
          "{}: the filter must be [height, width, in_channels / groups, out_channels]. Got {}.",
          who, filter);
  const Size2 size(filter.shape[0], filter.shape[1]);
  const int64_t taken = filter.shape[2], channels = input.shape[3], made = filter.shape[3];
  require(size.height != 0 && size.width != 0 && taken != 0, "{}: the filter is empty. Got {}.",
          who, filter);
  Conv2DShape shape{.batch = input.shape[0], .in_channels = channels, .out_channels = made};
  if (channels != kUnknown && taken != kUnknown) {
    require(
        channels % taken == 0 && channels > 0,
        "{}: the input has {} channels but the filter takes {}. Got input {}, filter {}. Give a "
        "filter that takes as many, or a part of them for groups.",
        who, channels, taken, input, filter);
    shape.groups = channels / taken;
    require(made == kUnknown || made % shape.groups == 0,
            "{}: {} output channels cannot be shared by {} groups. Got input {}, filter {}.", who,
            made, shape.groups, input, filter);
  }
  if (size.height == kUnknown || size.width == kUnknown) {
    shape.windows.y.output = shape.windows.x.output = kUnknown;
    return shape;
  }
  shape.windows = slide(who, {input.shape[1], input.shape[2]},
                        {.size = size,
                         .strides = options.strides,
                         .dilations = options.dilations,
                         .padding = options.padding},
                        input);
  return shape;
}

Shape conv2d_result(const Conv2DShape& shape) {
  return {shape.batch, shape.windows.y.output, shape.windows.x.output, shape.out_channels};
}

double Conv2DShape::flops() const {
  return 2.0 * static_cast<double>(batch) * static_cast<double>(windows.y.output) *
         static_cast<double>(windows.x.output) * static_cast<double>(out_channels) *
         static_cast<double>(taps()) * static_cast<double>(group_in());
}

Specs Conv2D::infer(SpecRefs inputs) const {
  const Spec &input = inputs[0], &filter = inputs[1];
  require(kDTypes.contains(input.dtype), "{}: takes {}. Got input {}, filter {}. Use cast().",
          kName, to_string(kDTypes), input, filter);
  require(input.dtype == filter.dtype,
          "{}: the dtypes differ. Got input {}, filter {}. Use cast().", kName, input, filter);
  return {input.with(conv2d_result(conv2d_shape(kName, input, filter, *this)))};
}

Cost Conv2D::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = conv2d_shape(kName, inputs[0], inputs[1], *this).flops();
  return cost;
}

Gradients Conv2D::gradient(const Recorded& call) const {
  const Tensor& dy = call.dy();
  Gradients gradients{Tensor(), Tensor()};
  if (call.wants(0))
    gradients[0] = conv2d_backprop_input(call.input_spec(0).shape, call.input(1), dy, *this);
  if (call.wants(1))
    gradients[1] = conv2d_backprop_filter(call.input(0), call.input_spec(1).shape, dy, *this);
  return gradients;
}

Needs Conv2D::needs(IndexSet wanted) const { return needs_of_product(wanted); }

Needs needs_of_product(IndexSet wanted) {
  Needs needs{.inputs = {}, .outputs = {}};
  if (wanted.contains(0)) needs.inputs.add(1);
  if (wanted.contains(1)) needs.inputs.add(0);
  return needs;
}

/// With one filter for all calls, their images are one batch. Otherwise each call is a group, or
/// groups, of channels; images that are the same for all need none.
Tensors Conv2D::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const BatchedInput &input = inputs[0], &filter = inputs[1];
  if (!filter.batched)
    return {batching::unfolded(conv2d(batching::folded(input.value), filter.value, *this), size)};
  const Tensor filters = batching::merged(filter.value, 3);
  const bool shared = !input.batched && input.value.shape()[3] == filters.shape()[2];
  const Tensor images = shared ? input.value : batching::merged(batching::repeated(input, size), 3);
  return {batching::parted(conv2d(images, filters, *this), 3, size)};
}

Attributes attributes_of(const Conv2DOptions& options) {
  Attributes attributes = {{"strides", options.strides}, {"padding", options.padding}};
  add_unless(1, attributes, "dilations", options.dilations);
  return attributes;
}

}  // namespace alula
