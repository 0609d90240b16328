#include "alula/scalar/scalar.h"

#include <algorithm>
#include <optional>

#include "alula/core/error.h"
#include "alula/scalar/simplify.h"

namespace alula::scalar {
namespace {

constinit thread_local Builder* t_current = nullptr;

}  // namespace

Builder::Builder(Recording recording) : recording_(recording), outer_(t_current) {
  t_current = this;
}
Builder::~Builder() { t_current = outer_; }

Builder& Builder::current() {
  require<InternalError>(t_current != nullptr, "scalar: no program is being recorded.");
  return *t_current;
}

DType Scalar::dtype() const { return Builder::current().dtype_of(*this); }

Scalar Builder::add(const Instruction& instruction) {
  const auto found = std::find_if(code_.begin(), code_.end(), [&](const Instruction& other) {
    // 0 and -0 are equal, but not the same constant.
    return other == instruction && std::signbit(other.number) == std::signbit(instruction.number);
  });
  if (found != code_.end()) return Scalar(static_cast<uint16_t>(found - code_.begin()));
  code_.push_back(instruction);
  return Scalar(static_cast<uint16_t>(code_.size() - 1));
}

Scalar Builder::input(DType dtype) {
  return add({.opcode = Opcode::kInput, .dtype = dtype, .index = inputs_++});
}

Scalar Builder::parameter(DType dtype) {
  return add({.opcode = Opcode::kParameter, .dtype = dtype, .index = parameters_++});
}

Scalar Builder::constant(DType dtype, double value) {
  Instruction step{.opcode = Opcode::kConstant, .dtype = dtype};
  if (is_floating(dtype))
    step.number = value;
  else
    step.integer = static_cast<int64_t>(value);
  return add(step);
}

Scalar Builder::emit(Opcode opcode, DType dtype, std::initializer_list<Scalar> operands) {
  if (recording_ == Recording::kSimplified)
    if (const std::optional<Scalar> simpler = simplify(*this, opcode, dtype, operands))
      return *simpler;
  Instruction step{.opcode = opcode, .dtype = dtype};
  std::transform(operands.begin(), operands.end(), step.operands.begin(),
                 [](Scalar operand) { return operand.position(); });
  return add(step);
}

std::unique_ptr<Program> Builder::finish(std::string name, std::span<const Scalar> results,
                                         const GivenGradient& gradient) {
  std::vector<uint16_t> positions;
  for (Scalar result : results) positions.push_back(result.position());
  return std::make_unique<Program>(std::move(name), std::move(code_), std::move(positions),
                                   gradient);
}

Scalar GradientFunction::operator()(std::span<const Scalar> arguments) const {
  require<InternalError>(arguments.size() == arity_,
                         "scalar: a gradient that takes {} numbers got {}.", arity_,
                         arguments.size());
  const std::span<const Scalar>& x = arguments;
  if (arity_ == 3) return f3_(x[0], x[1], x[2]);
  if (arity_ == 4) return f4_(x[0], x[1], x[2], x[3]);
  return f5_(x[0], x[1], x[2], x[3], x[4]);
}

Scalar constant_like(Scalar like, double value) {
  return Builder::current().constant(like.dtype(), value);
}

Scalar binary(Opcode opcode, Scalar a, Scalar b) {
  return Builder::current().emit(opcode, a.dtype(), {a, b});
}

Scalar compare(Opcode opcode, Scalar a, Scalar b) {
  return Builder::current().emit(opcode, boolean, {a, b});
}

Scalar select(Scalar condition, Scalar a, Scalar b) {
  return Builder::current().emit(Opcode::kSelect, a.dtype(), {condition, a, b});
}

Scalar cast(Scalar x, DType dtype) {
  return x.dtype() == dtype ? x : Builder::current().emit(Opcode::kCast, dtype, {x});
}

}  // namespace alula::scalar
