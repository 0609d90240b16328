#include "alula/scalar/simplify.h"

namespace alula::scalar {
namespace {

/// What an instruction is replaced by, if anything.
using Simpler = std::optional<Scalar>;

/// Looks at the operands of one instruction to be.
class Simplifier {
 public:
  Simplifier(Builder& builder, DType dtype, std::span<const Scalar> operands)
      : builder_(builder), dtype_(dtype), operands_(operands) {}

  Simpler operator()(Opcode opcode) const {
    switch (opcode) {
      case Opcode::kCast: return cast();
      case Opcode::kNeg: return neg();
      case Opcode::kAdd: return add();
      case Opcode::kSub: return sub();
      case Opcode::kMul: return mul();
      case Opcode::kDiv: return div();
      case Opcode::kSelect: return select();
      default: return {};
    }
  }

 private:
  Scalar at(int k) const { return operands_[k]; }
  bool is(Scalar value, Opcode opcode) const { return builder_[value].opcode == opcode; }
  bool is(Scalar value, double number) const {
    return is(value, Opcode::kConstant) && builder_[value].number == number;
  }
  bool are_constants() const {
    return is(at(0), Opcode::kConstant) && is(at(1), Opcode::kConstant);
  }
  double number(int k) const { return builder_[at(k)].number; }
  Scalar constant(double value) const { return builder_.constant(dtype_, value); }

  /// There and back again changes nothing if the way leads through a wider type.
  Simpler cast() const {
    if (is(at(0), Opcode::kConstant)) return constant(number(0));
    if (!is(at(0), Opcode::kCast)) return {};
    const Scalar inner = builder_.operand(at(0), 0);
    const bool widens = size_of(at(0).dtype()) > size_of(dtype_);
    return inner.dtype() == dtype_ && widens ? Simpler(inner) : Simpler();
  }

  Simpler neg() const {
    if (is(at(0), Opcode::kConstant)) return constant(-number(0));
    if (is(at(0), Opcode::kNeg)) return builder_.operand(at(0), 0);
    return {};
  }

  Simpler add() const {
    if (are_constants()) return constant(number(0) + number(1));
    if (is(at(0), 0)) return at(1);
    if (is(at(1), 0)) return at(0);
    if (is(at(1), Opcode::kNeg)) return at(0) - builder_.operand(at(1), 0);
    if (is(at(0), Opcode::kNeg)) return at(1) - builder_.operand(at(0), 0);
    return {};
  }

  Simpler sub() const {
    if (are_constants()) return constant(number(0) - number(1));
    if (is(at(1), 0)) return at(0);
    if (is(at(0), 0)) return -at(1);
    if (is(at(1), Opcode::kNeg)) return at(0) + builder_.operand(at(1), 0);
    return {};
  }

  Simpler mul() const {
    if (are_constants()) return constant(number(0) * number(1));
    for (int k : {0, 1}) {
      if (is(at(k), 0)) return at(k);
      if (is(at(k), 1)) return at(1 - k);
      if (is(at(k), -1)) return -at(1 - k);
    }
    return {};
  }

  Simpler div() const {
    if (is(at(0), 0)) return at(0);
    if (is(at(1), 1)) return at(0);
    return {};
  }

  Simpler select() const {
    return at(1).position() == at(2).position() ? Simpler(at(1)) : Simpler();
  }

  Builder& builder_;
  DType dtype_;
  std::span<const Scalar> operands_;
};

}  // namespace

std::optional<Scalar> simplify(Builder& builder, Opcode opcode, DType dtype,
                               std::span<const Scalar> operands) {
  // Integers are left alone: their constants are kept elsewhere, and there is nothing to gain.
  for (Scalar operand : operands)
    if (!is_floating(operand.dtype()) && opcode != Opcode::kSelect) return {};
  if (!is_floating(dtype)) return {};
  return Simplifier(builder, dtype, operands)(opcode);
}

}  // namespace alula::scalar
