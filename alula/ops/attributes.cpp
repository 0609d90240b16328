#include "alula/ops/attributes.h"

#include "alula/core/fingerprint.h"
#include "alula/ops/table.h"

namespace alula {
namespace {

/// Whether it is the program of the elementwise function that has its name.
bool is_in_table(const scalar::Program& program) {
  const Elementwise* function = find_elementwise(program.name());
  if (function == nullptr || program.inputs().empty()) return false;
  const DType dtype = program.inputs().back();  // the first may be a condition
  return function->dtypes().contains(dtype) && &function->program(dtype) == &program;
}

}  // namespace

void add_parameters(std::span<const double> parameters, Attributes& attributes) {
  if (!parameters.empty())
    attributes.emplace_back("parameters", fmt::format("[{}]", fmt::join(parameters, ",")));
}

void add_program(const scalar::Program& program, Attributes& attributes) {
  const std::vector<scalar::Instruction>& code = program.code();
  const bool is_cast = code.size() == 2 && code[1].opcode == scalar::Opcode::kCast;
  if (is_cast)
    attributes.emplace_back("dtype", program.output());
  else if (!is_in_table(program))
    attributes.emplace_back("program", fmt::format("{:016x}", fingerprint(program.str())));
}

}  // namespace alula
