#include "alula/ops/elementwise_reduce.h"

#include <fmt/ranges.h>

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<ElementwiseReduce> registered;

}  // namespace

const char* name_of(ElementwiseReduce::Kind kind) {
  switch (kind) {
    case ElementwiseReduce::Kind::kSum: return "sum";
    case ElementwiseReduce::Kind::kMean: return "mean";
    case ElementwiseReduce::Kind::kProd: return "prod";
    case ElementwiseReduce::Kind::kMax: return "max";
    default: return "min";
  }
}

Attributes ElementwiseReduce::attributes() const {
  return {{"kind", name_of(kind)},
          {"axis", axis.all() ? "all" : fmt::format("{}", fmt::join(axis.given(), ","))},
          {"keepdims", keepdims},
          {"program", program->str()},
          {"parameters", fmt::format("{}", fmt::join(parameters, ","))}};
}

Spec ElementwiseReduce::elements(SpecRefs inputs) const {
  return ElementwiseOp(*program).infer(inputs)[0];
}

Specs ElementwiseReduce::infer(SpecRefs inputs) const {
  require(program->results().size() == 1, "{}: the function must have one result. {} has {}.",
          kName, program->name(), program->results().size());
  const Spec elements = this->elements(inputs);
  require(kDTypes.contains(elements.dtype), "{}: reduces {}. Got {} from {} of {}.", kName, kDTypes,
          elements, program->name(), inputs);
  return {elements.with(reduced_shape(kName, elements.shape, *this))};
}

Cost ElementwiseReduce::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  const Spec elements = this->elements(inputs);
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = ElementwiseOp(*program).cost(inputs, {&elements, 1}).flops +
               static_cast<double>(elements.shape.size());
  return cost;
}

/// The compiler makes it of graphs whose ops are batched already.
Tensors ElementwiseReduce::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

}  // namespace alula
