#include "alula/scalar/compose.h"

#include <map>
#include <mutex>

namespace alula::scalar {

std::vector<Scalar> inlined(Builder& builder, const Program& program,
                            std::span<const Scalar> inputs, std::span<const double> parameters) {
  std::vector<Scalar> values;
  for (Instruction step : program.code()) {
    const auto index = static_cast<size_t>(step.index);
    if (step.opcode == Opcode::kInput) {
      values.push_back(inputs[index]);
    } else if (step.opcode == Opcode::kParameter) {
      values.push_back(builder.constant(step.dtype, parameters[index]));
    } else {
      for (int k = 0; k < operand_count(step.opcode); ++k)
        step.operands[k] = values[step.operands[k]].position();
      values.push_back(builder.add(step));
    }
  }
  std::vector<Scalar> results;
  for (uint16_t result : program.results()) results.push_back(values[result]);
  return results;
}

const Program& interned(std::unique_ptr<Program> program) {
  static std::mutex mutex;
  static auto& kept = *new std::map<std::string, std::unique_ptr<Program>>;  // outlives all ops
  const std::string text = program->name() + "\n" + program->str();
  const std::lock_guard lock(mutex);
  return *kept.try_emplace(text, std::move(program)).first->second;
}

}  // namespace alula::scalar
