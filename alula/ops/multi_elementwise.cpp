#include "alula/ops/multi_elementwise.h"

#include <algorithm>

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<MultiElementwise> registered;

}  // namespace

Specs MultiElementwise::infer(SpecRefs inputs) const {
  const std::vector<DType>& dtypes = program->inputs();
  const size_t each = group_inputs(), first = static_cast<size_t>(shared);
  require(inputs.size() >= first && (inputs.size() - first) % each == 0,
          "{}: takes {} shared scalars and {} tensors for each group. Got {} inputs.", name(),
          shared, each, inputs.size());
  require(static_cast<int>(parameters.size()) >= program->parameter_count(),
          "{}: takes {} parameters. Got {}.", name(), program->parameter_count(),
          parameters.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t position = i < first ? i : first + (i - first) % each;
    const bool single = i < first || position + static_cast<size_t>(scalars) >= dtypes.size();
    require(inputs[i].dtype == dtypes[position], "{}: input {} must be {}. Got {}. Use cast().",
            name(), i, dtypes[position], inputs[i]);
    const Shape& wanted = single ? Shape() : inputs[i - (position - first)].shape;
    require(inputs[i].shape == wanted, "{}: input {} must be of shape {}. Got {}.", name(), i,
            wanted, inputs[i]);
  }
  Specs outputs;
  for (size_t i = first; i < inputs.size(); i += each)
    for (uint16_t result : program->results())
      outputs.emplace_back(Spec{program->code()[result].dtype, inputs[i].shape});
  return outputs;
}

Cost MultiElementwise::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  const auto steps = std::count_if(
      program->code().begin(), program->code().end(),
      [](const scalar::Instruction& step) { return scalar::operand_count(step.opcode) > 0; });
  double elements = 0;
  for (size_t i = 0; i < outputs.size(); i += program->results().size())
    elements += static_cast<double>(outputs[i].shape.size());
  cost.flops = elements * static_cast<double>(steps);
  return cost;
}

/// With the same scalars for all calls, the tensors of a group are just larger. Otherwise a loop:
/// optimizers take their steps one after another.
Tensors MultiElementwise::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  const size_t first = static_cast<size_t>(shared), each = group_inputs(),
               tensors = each - static_cast<size_t>(scalars);
  const auto is_scalar = [&](size_t i) { return i < first || (i - first) % each >= tensors; };
  Tensors values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_scalar(i) && inputs[i].batched) return batching::in_loop(*this, inputs, size);
    values.push_back(is_scalar(i) ? inputs[i].value : batching::repeated(inputs[i], size));
  }
  return call_all(*this, values);
}

Attributes MultiElementwise::attributes() const {
  Attributes attributes = {{"shared", shared}, {"scalars", scalars}};
  add_parameters(parameters, attributes);
  add_program(*program, attributes);
  return attributes;
}

}  // namespace alula
