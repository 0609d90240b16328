#include "alula/scalar/program.h"

#include <fmt/format.h>

#include "alula/scalar/gradient.h"

namespace alula::scalar {
namespace {

constexpr std::array<std::string_view, kOpcodeCount> kNames = {
    "input",      "parameter", "constant", "cast",  "neg", "abs",   "sqrt",      "exp",
    "expm1",      "log",       "log1p",    "sin",   "cos", "tan",   "tanh",      "erf",
    "floor",      "ceil",      "round",    "not",   "add", "sub",   "mul",       "div",
    "floordiv",   "mod",       "pow",      "min",   "max", "equal", "not_equal", "less",
    "less_equal", "and",       "or",       "select"};

bool fails_on_some(const Instruction& step) {
  return is_integer(step.dtype) && (step.opcode == Opcode::kFloorDiv ||
                                    step.opcode == Opcode::kMod || step.opcode == Opcode::kPow);
}

}  // namespace

std::string_view name_of(Opcode opcode) { return kNames[static_cast<int>(opcode)]; }

int operand_count(Opcode opcode) {
  if (opcode < Opcode::kCast) return 0;
  if (opcode < Opcode::kAdd) return 1;
  return opcode == Opcode::kSelect ? 3 : 2;
}

Program::Program(std::string name, std::vector<Instruction> code, std::vector<uint16_t> results,
                 const GivenGradient& gradient)
    : name_(std::move(name)),
      code_(std::move(code)),
      results_(std::move(results)),
      given_gradient_(gradient) {
  for (const Instruction& step : code_) {
    const auto index = static_cast<size_t>(step.index);
    if (step.opcode == Opcode::kInput && inputs_.size() <= index) inputs_.resize(index + 1);
    if (step.opcode == Opcode::kInput) inputs_[index] = step.dtype;
    if (step.opcode == Opcode::kParameter)
      parameter_count_ = std::max(parameter_count_, static_cast<int>(step.index) + 1);
    can_fail_ = can_fail_ || fails_on_some(step);
  }
}

Program::~Program() {
  for (std::atomic<Prepared*>& prepared : prepared_) delete prepared.load();
  delete gradients_.load();
}

std::string Program::str() const {
  std::string text;
  for (size_t i = 0; i < code_.size(); ++i) {
    const Instruction& step = code_[i];
    text += fmt::format("%{} = {} {}", i, name_of(step.opcode), name_of(step.dtype));
    for (int k = 0; k < operand_count(step.opcode); ++k)
      text += fmt::format(" %{}", step.operands[k]);
    if (step.opcode == Opcode::kInput || step.opcode == Opcode::kParameter)
      text += fmt::format(" {}", step.index);
    if (step.opcode == Opcode::kConstant)
      text += is_floating(step.dtype) ? fmt::format(" {}", step.number)
                                      : fmt::format(" {}", step.integer);
    text += '\n';
  }
  text += "return";
  for (uint16_t result : results_) text += fmt::format(" %{}", result);
  return text + "\n";
}

}  // namespace alula::scalar
