#include "alula/ops/gather_elementwise.h"

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"
#include "alula/ops/matmul_elementwise.h"

namespace alula {
namespace {

const RegisterOp<GatherElementwise> registered;

}  // namespace

Attributes GatherElementwise::attributes() const {
  Attributes attributes = gather.attributes();
  add_program(*program, attributes);
  return attributes;
}

Specs GatherElementwise::infer(SpecRefs inputs) const {
  require(inputs.size() == program->inputs().size() + 1, "{}: takes {} inputs. Got {}.", kName,
          program->inputs().size() + 1, inputs);
  const Spec* operands[] = {&inputs[0], &inputs[1]};
  const Spec picked = gather.infer(SpecRefs(operands))[0];
  require(kDTypes.contains(picked.dtype) && program->inputs()[0] == picked.dtype,
          "{}: takes {}, and a function of the params' dtype. Got {}.", kName, kDTypes, inputs);
  for (size_t i = 2; i < inputs.size(); ++i)
    require(
        inputs[i].dtype == program->inputs()[i - 1] && fits_rows_of(inputs[i].shape, picked.shape),
        "{}: input {} must be {} and as large as what is picked ({}), one row or column of it or "
        "a single value. Got {}.",
        kName, i, program->inputs()[i - 1], picked.shape, inputs);
  Specs outputs;
  for (size_t k = 0; k < program->results().size(); ++k)
    outputs.push_back({program->output(static_cast<int>(k)), picked.shape});
  return outputs;
}

/// Of params, as much is read as is picked.
Cost GatherElementwise::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  const Spec picked = inputs[0].with(outputs[0].shape);
  cost.bytes += static_cast<double>(picked.bytes()) - static_cast<double>(inputs[0].bytes());
  return cost;
}

/// The compiler makes it of graphs whose ops are batched already.
Tensors GatherElementwise::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

}  // namespace alula
