#include "alula/backends/cpu/row_program.h"

#include "alula/ops/matmul_elementwise.h"

namespace alula::cpu {

void RowProgram::run(const Part& part, void* values) const {
  const Shape whole{part.rows, part.columns};
  InlineVector<Spec, 4> specs;  // views point to them
  specs.push_back({dtype_, whole});
  for (const View& operand : operands_) specs.push_back({operand.dtype(), whole});
  for (const View& output : outputs_) specs.push_back({output.dtype(), whole});
  InlineVector<View, 4> inputs, outputs;
  inputs.push_back({specs.data(), values});
  for (size_t i = 0; i < operands_.size(); ++i)
    inputs.push_back(within(operands_[i], part, specs[1 + i]));
  for (size_t k = 0; k < outputs_.size(); ++k)
    outputs.push_back({&specs[1 + operands_.size() + k], output(part, k)});
  code_.run(inputs, outputs, {});
}

void RowProgram::run(void* values) const {
  const Spec spec{dtype_, outputs_[0].shape()};
  InlineVector<View, 4> inputs;
  inputs.push_back({&spec, values});
  for (const View& operand : operands_) inputs.push_back(operand);
  code_.run(inputs, outputs_, {});
}

View RowProgram::within(const View& operand, const Part& part, Spec& spec) const {
  if (operand.shape() == outputs_[0].shape())
    return {&spec, at(operand, part.row * columns_ + part.column)};
  if (is_column_of(operand.shape(), outputs_[0].shape())) {
    spec.shape = {part.rows, 1};
    return {&spec, at(operand, part.row)};
  }
  const bool single = operand.size() == 1;
  spec.shape = single ? Shape{} : Shape{part.columns};
  return {&spec, at(operand, single ? 0 : part.column)};
}

}  // namespace alula::cpu
