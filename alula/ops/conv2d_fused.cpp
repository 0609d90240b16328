#include "alula/ops/conv2d_fused.h"

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<Conv2DFused> registered;

}  // namespace

bool fits_pixels(const Shape& operand, const Shape& values) {
  if (operand == values) return true;
  if (operand.rank() > values.rank()) return false;
  for (int i = 0; i + 1 < operand.rank(); ++i)
    if (operand[i] != 1) return false;
  return operand.rank() == 0 || operand.back() == 1 || operand.back() == values.back();
}

Attributes conv2d_attributes(const Conv2DOptions& options) {
  const Padding& padding = options.padding;
  std::string around = "SAME";
  if (padding.kind == Padding::kValid) around = "VALID";
  if (padding.kind == Padding::kExplicit)
    around = fmt::format("{} {} {} {}", padding.top, padding.bottom, padding.left, padding.right);
  return {{"strides", options.strides}, {"padding", around}, {"dilations", options.dilations}};
}

Spec Conv2DFused::pooled(const Spec& input, const Spec& filter) const {
  const Spec whole = input.with(conv2d_result(conv2d_shape(kName, input, filter, *this)));
  if (pooling == Pooling::kNone) return whole;
  return whole.with(pool2d_result(whole.shape, pool2d_windows(kName, whole, pool)));
}

Specs Conv2DFused::infer(SpecRefs inputs) const {
  const Spec &input = inputs[0], &filter = inputs[1];
  require(kDTypes.contains(input.dtype) && input.dtype == filter.dtype,
          "{}: takes {}, the same for input and filter. Got {}. Use cast().", kName,
          to_string(kDTypes), inputs);
  const Spec value = pooled(input, filter);
  Specs outputs;
  if (epilogue == nullptr) {
    require(inputs.size() == 2, "{}: without a program there are 2 inputs. Got {}.", kName, inputs);
    outputs.push_back(value);
  } else {
    const std::vector<DType>& taken = epilogue->inputs();
    require(taken.size() + 1 == inputs.size() && taken[0] == value.dtype,
            "{}: the program takes {} inputs, the first being the convolution. Got {}.", kName,
            taken.size(), inputs);
    for (size_t i = 1; i < taken.size(); ++i) {
      const Spec& operand = inputs[i + 1];
      require(operand.dtype == taken[i] && fits_pixels(operand.shape, value.shape),
              "{}: input {} must be {}{}, or the same for all pixels. Got {}.", kName, i + 1,
              taken[i], value.shape, operand);
    }
    for (size_t i = 0; i < epilogue->results().size(); ++i)
      outputs.push_back(value.with(epilogue->output(static_cast<int>(i))));
  }
  if (pooling == Pooling::kMaxWithPositions) {
    require(pool.ksize.height * pool.ksize.width <= kMostPositions,
            "{}: a position within the window must fit 8 bits. Got a window of {}.", kName,
            pool.ksize);
    outputs.push_back({uint8, value.shape});
  }
  return outputs;
}

Cost Conv2DFused::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = conv2d_shape(kName, inputs[0], inputs[1], *this).flops();
  return cost;
}

Attributes Conv2DFused::attributes() const {
  Attributes attributes = conv2d_attributes(*this);
  if (pooling != Pooling::kNone)
    for (Attribute& attribute : pool2d_attributes(pool)) attributes.push_back(attribute);
  if (pooling == Pooling::kMaxWithPositions) attributes.push_back({"positions", true});
  if (epilogue != nullptr) {
    attributes.emplace_back("epilogue", epilogue->name());
    add_program(*epilogue, attributes);
  }
  return attributes;
}

/// The compiler makes it of graphs whose ops are batched already.
Tensors Conv2DFused::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

}  // namespace alula
