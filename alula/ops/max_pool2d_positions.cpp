#include "alula/ops/max_pool2d_positions.h"

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<MaxPool2DWithPositions> registered;
const RegisterOp<MaxPool2DScatter> scatter_registered;
const RegisterOp<MaxPool2DGather> gather_registered;

void check_window(const char* who, const Pool2DOptions& options) {
  require(options.ksize.height * options.ksize.width <= kMostPositions,
          "{}: a position within the window must fit 8 bits. Got a window of {}.", who,
          options.ksize);
}

}  // namespace

Tensors max_pool2d_with_positions(const Tensor& input, const Pool2DOptions& options) {
  return call_all(MaxPool2DWithPositions(options), {&input, 1});
}

Tensor max_pool2d_scatter(const Tensor& values, const Tensor& positions, const Shape& shape,
                          const Pool2DOptions& options) {
  return call(MaxPool2DScatter(shape, options), values, positions);
}

Tensor max_pool2d_gather(const Tensor& values, const Tensor& positions,
                         const Pool2DOptions& options) {
  return call(MaxPool2DGather(options), values, positions);
}

Attributes pool2d_attributes(const Pool2DOptions& options) {
  const Padding& padding = options.padding;
  const std::string around =
      padding.kind == Padding::kValid ? "VALID"
      : padding.kind == Padding::kSame
          ? "SAME"
          : fmt::format("{} {} {} {}", padding.top, padding.bottom, padding.left, padding.right);
  return {{"ksize", options.ksize}, {"pool_strides", options.strides}, {"pool_padding", around}};
}

void check_at_positions(const char* who, const Spec& pooled, const Pool2DOptions& options,
                        const Spec& values, const Spec& positions) {
  check_window(who, options);
  const Shape wanted = pool2d_result(pooled.shape, pool2d_windows(who, pooled, options));
  require(values.dtype == pooled.dtype && positions.dtype == uint8 &&
              compatible(values.shape, wanted) && compatible(positions.shape, wanted),
          "{}: the values must be {}{} and the positions uint8{}, as max_pool2d_with_positions "
          "makes them. Got {}, {}.",
          who, pooled.dtype, wanted, wanted, values, positions);
}

Specs MaxPool2DWithPositions::infer(SpecRefs inputs) const {
  const Spec& input = inputs[0];
  require(kDTypes.contains(input.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), input);
  check_window(kName, *this);
  const Shape shape = pool2d_result(input.shape, pool2d_windows(kName, input, *this));
  return {input.with(shape), {uint8, shape}};
}

Cost MaxPool2DWithPositions::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = static_cast<double>(outputs[0].shape.size()) *
               static_cast<double>(ksize.height * ksize.width);
  return cost;
}

Attributes MaxPool2DWithPositions::attributes() const { return pool2d_attributes(*this); }

Specs MaxPool2DScatter::infer(SpecRefs inputs) const {
  const Spec &values = inputs[0], &positions = inputs[1];
  require(kDTypes.contains(values.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), values);
  const Spec result = values.with(shape);
  check_at_positions(kName, result, *this, values, positions);
  return {result};
}

Attributes MaxPool2DScatter::attributes() const {
  Attributes attributes = pool2d_attributes(*this);
  attributes.insert(attributes.begin(), {"shape", shape});
  return attributes;
}

Specs MaxPool2DGather::infer(SpecRefs inputs) const {
  const Spec &values = inputs[0], &positions = inputs[1];
  require(kDTypes.contains(values.dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), values);
  check_window(kName, *this);
  const Shape wanted = pool2d_result(values.shape, pool2d_windows(kName, values, *this));
  require(positions.dtype == uint8 && compatible(positions.shape, wanted),
          "{}: the positions must be uint8{}, as max_pool2d_with_positions makes them. Got {}.",
          kName, wanted, positions);
  return {values.with(wanted)};
}

Attributes MaxPool2DGather::attributes() const { return pool2d_attributes(*this); }

/// The images of all calls are one batch.
Tensors MaxPool2DWithPositions::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(*this, inputs, size);
}
Tensors MaxPool2DGather::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(*this, inputs, size);
}
Tensors MaxPool2DScatter::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(MaxPool2DScatter(shape.with(0, shape[0] * size), *this), inputs,
                               size);
}

}  // namespace alula
