#include "alula/ops/conv2d_gradients_at.h"

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"
#include "alula/ops/conv2d_fused.h"

namespace alula {
namespace {

const RegisterOp<Conv2DFilterGradientAt> filter_registered;
const RegisterOp<Conv2DInputGradientAt> input_registered;

/// Checks what the two ops share, and returns the convolution's shapes.
Conv2DShape check(const char* who, const Spec& input, const Spec& filter, SpecRefs inputs,
                  const Conv2DOptions& options, const Pool2DOptions& pool) {
  const Conv2DShape shape = conv2d_shape(who, input, filter, options);
  check_at_positions(who, input.with(conv2d_result(shape)), pool, inputs[1], inputs[2]);
  return shape;
}

/// A multiplication for each winner, tap and input channel.
double flops(const Conv2DShape& shape, const Spec& values) {
  return 2.0 * static_cast<double>(values.shape.size()) * static_cast<double>(shape.taps()) *
         static_cast<double>(shape.group_in());
}

Attributes attributes_of(const Conv2DOptions& options, const Pool2DOptions& pool,
                         const Attribute& shape) {
  Attributes attributes{shape};
  for (const Attribute& attribute : conv2d_attributes(options)) attributes.push_back(attribute);
  for (const Attribute& attribute : pool2d_attributes(pool)) attributes.push_back(attribute);
  return attributes;
}

}  // namespace

Specs Conv2DFilterGradientAt::infer(SpecRefs inputs) const {
  require(kDTypes.contains(inputs[0].dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), inputs);
  const Spec filter = inputs[0].with(filter_shape);
  check(kName, inputs[0], filter, inputs, *this, pool);
  const size_t taken = prologue == nullptr ? 1 : prologue->inputs().size();
  require(inputs.size() == 2 + taken, "{}: the program takes {} inputs. Got {}.", kName, taken,
          inputs);
  for (size_t i = 1; i < taken; ++i)
    require(inputs[i + 2].dtype == prologue->inputs()[i] &&
                fits_pixels(inputs[i + 2].shape, inputs[1].shape),
            "{}: input {} must be {}{}, or the same for all pixels. Got {}.", kName, i + 2,
            prologue->inputs()[i], inputs[1].shape, inputs[i + 2]);
  if (bias) return {filter, filter.with(Shape{filter_shape.back()})};
  return {filter};
}

Cost Conv2DFilterGradientAt::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = flops(conv2d_shape(kName, inputs[0], outputs[0], *this), inputs[1]);
  return cost;
}

Attributes Conv2DFilterGradientAt::attributes() const {
  Attributes attributes = attributes_of(*this, pool, {"filter_shape", filter_shape});
  if (bias) attributes.push_back({"bias", true});
  if (prologue != nullptr) {
    attributes.emplace_back("prologue", prologue->name());
    add_program(*prologue, attributes);
  }
  return attributes;
}

Specs Conv2DInputGradientAt::infer(SpecRefs inputs) const {
  require(kDTypes.contains(inputs[0].dtype), "{}: takes {}. Got {}. Use cast().", kName,
          to_string(kDTypes), inputs);
  const Spec input = inputs[0].with(input_shape);
  check(kName, input, inputs[0], inputs, *this, pool);
  return {input};
}

Cost Conv2DInputGradientAt::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = flops(conv2d_shape(kName, outputs[0], inputs[0], *this), inputs[1]);
  return cost;
}

Attributes Conv2DInputGradientAt::attributes() const {
  return attributes_of(*this, pool, {"input_shape", input_shape});
}

/// The compiler makes them of graphs whose ops are batched already.
Tensors Conv2DFilterGradientAt::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}
Tensors Conv2DInputGradientAt::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

}  // namespace alula
