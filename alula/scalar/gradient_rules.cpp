#include "alula/scalar/gradient_rules.h"

#include "alula/core/error.h"

namespace alula::scalar {
namespace {

constexpr double kTwoOverSqrtPi = 1.12837916709551257390;

Scalar of_abs(Scalar x, Scalar dy) { return select(x > 0, dy, select(x < 0, -dy, 0)); }

/// 0 where 0 is raised to 0, where the formula would multiply 0 and infinity. (A constant's power
/// would be 0; TensorFlow gives NaN.)
Scalar of_pow_base(Scalar a, Scalar b, Scalar dy) {
  const Scalar exponent = select(a == 0 && b == 0, 1, b);
  return dy * (b * pow(a, exponent - 1));
}

/// As in TensorFlow, 0 where the base has no logarithm; also where the power overflows.
Scalar of_pow_exponent(Scalar a, Scalar power, Scalar dy) {
  const Scalar logarithm = log(select(a > 0, a, 1));
  return select(a > 0, dy * power * logarithm, 0);
}

Scalar of_unary(const Step& step) {
  const Scalar dy = step.dy;
  const auto x = [&] { return step.operand(0); };
  switch (step.opcode) {
    case Opcode::kCast: return dy;
    case Opcode::kNeg: return -dy;
    case Opcode::kAbs: return of_abs(x(), dy);
    case Opcode::kSqrt: return 0.5 * dy / step.own();
    case Opcode::kExp: return dy * step.own();
    case Opcode::kExpm1: return dy * exp(x());  // the value + 1 would lose digits below 0
    case Opcode::kLog: return dy / x();
    case Opcode::kLog1p: return dy / (1 + x());
    case Opcode::kSin: return dy * cos(x());
    case Opcode::kCos: return -(dy * sin(x()));
    case Opcode::kTan: return dy * (1 + step.own() * step.own());
    case Opcode::kTanh: return dy * (1 - step.own() * step.own());
    case Opcode::kErf: return dy * (kTwoOverSqrtPi * exp(-(x() * x())));
    default: break;
  }
  fail<InternalError>("scalar: there is no rule to differentiate {}.", name_of(step.opcode));
}

}  // namespace

bool has_gradient(Opcode opcode, int k) {
  switch (opcode) {
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRound:
    case Opcode::kNot:
    case Opcode::kFloorDiv:
    case Opcode::kEqual:
    case Opcode::kNotEqual:
    case Opcode::kLess:
    case Opcode::kLessEqual:
    case Opcode::kAnd:
    case Opcode::kOr: return false;
    case Opcode::kSelect: return k > 0;
    default: return true;
  }
}

Scalar contribution(const Step& step, int k) {
  const Scalar dy = step.dy;
  const bool first = k == 0;
  const auto a = [&] { return step.operand(0); };
  const auto b = [&] { return step.operand(1); };
  switch (step.opcode) {
    case Opcode::kAdd: return dy;
    case Opcode::kSub: return first ? dy : -dy;
    case Opcode::kMul: return dy * (first ? b() : a());
    case Opcode::kDiv: return first ? dy / b() : -(dy * step.own() / b());
    case Opcode::kMod: return first ? dy : -(dy * floor_divide(a(), b()));
    case Opcode::kPow:
      return first ? of_pow_base(a(), b(), dy) : of_pow_exponent(a(), step.own(), dy);
    // At a tie, the first operand gets it all.
    case Opcode::kMin: return first ? select(a() <= b(), dy, 0) : select(a() <= b(), 0, dy);
    case Opcode::kMax: return first ? select(a() >= b(), dy, 0) : select(a() >= b(), 0, dy);
    case Opcode::kSelect: return k == 1 ? select(a(), dy, 0) : select(a(), 0, dy);
    default: return of_unary(step);
  }
}

}  // namespace alula::scalar
