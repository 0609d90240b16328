#include "alula/ops/matmul_elementwise.h"

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<MatMulElementwise> registered;

}  // namespace

bool is_column_of(const Shape& operand, const Shape& results) {
  const int last = results.rank() - 1;
  return last >= 0 && operand.rank() == results.rank() && operand.back() == 1 &&
         results.back() != 1 && operand.slice(0, last) == results.slice(0, last);
}

bool fits_rows_of(const Shape& operand, const Shape& results) {
  if (operand == results || (operand.size() == 1 && operand.rank() <= results.rank())) return true;
  const bool is_row = operand.rank() > 0 && operand.rank() <= results.rank() &&
                      operand.back() == results.back() && operand.size() == results.back();
  return is_row || is_column_of(operand, results);
}

Attributes MatMulElementwise::attributes() const {
  Attributes attributes = product.attributes();
  add_program(*program, attributes);
  return attributes;
}

Specs MatMulElementwise::infer(SpecRefs inputs) const {
  require(inputs.size() == program->inputs().size() + 1, "{}: takes {} inputs. Got {}.", kName,
          program->inputs().size() + 1, inputs);
  const Spec* operands[] = {&inputs[0], &inputs[1]};
  const Spec c = product.infer(SpecRefs(operands))[0];
  require(
      kDTypes.contains(c.dtype) && program->inputs()[0] == c.dtype && program->output(0) == c.dtype,
      "{}: takes {}, and a function that keeps the dtype. Got {}.", kName, kDTypes, inputs);
  for (size_t i = 2; i < inputs.size(); ++i)
    require(inputs[i].dtype == program->inputs()[i - 1] && fits_rows_of(inputs[i].shape, c.shape),
            "{}: input {} must be {} and as large as the product, one row or column of it or a "
            "single value. Got {}.",
            kName, i, program->inputs()[i - 1], inputs);
  Specs outputs;
  for (size_t k = 0; k < program->results().size(); ++k)
    outputs.push_back({program->output(static_cast<int>(k)), c.shape});
  return outputs;
}

Cost MatMulElementwise::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  const Spec* operands[] = {&inputs[0], &inputs[1]};
  Cost cost = product.cost(SpecRefs(operands), outputs.subspan(0, 1));
  cost.bytes = Op::cost(inputs, outputs).bytes;
  return cost;
}

/// The compiler makes it of graphs whose ops are batched already.
Tensors MatMulElementwise::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

}  // namespace alula
