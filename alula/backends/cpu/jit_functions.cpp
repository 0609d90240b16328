// The mathematical functions, in vector instructions.
#include <cstddef>
#include <limits>

#include "alula/backends/cpu/jit_nodes.h"

namespace alula::cpu::jit {
namespace {

using scalar::Opcode;

/// What the float functions are made of, as instructions.
class Arithmetic {
 public:
  using F = Id;
  using I = Id;
  using M = Id;

  explicit Arithmetic(Nodes& nodes) : nodes_(nodes) {}

  F constant(float value) const { return nodes_.constant(value); }
  I integer(int32_t value) const { return nodes_.constant(static_cast<uint32_t>(value)); }
  F add(F a, F b) const { return nodes_.add(Op::kAdd, a, b); }
  F sub(F a, F b) const { return nodes_.add(Op::kSub, a, b); }
  F mul(F a, F b) const { return nodes_.add(Op::kMul, a, b); }
  F div(F a, F b) const { return nodes_.add(Op::kDiv, a, b); }
  F mul_add(F a, F b, F c) const { return nodes_.add(Op::kMulAdd, a, b, c); }
  F min(F a, F b) const { return nodes_.add(Op::kMin, a, b); }
  F max(F a, F b) const { return nodes_.add(Op::kMax, a, b); }
  F abs(F x) const { return nodes_.add(Op::kAnd, x, integer(0x7fffffff)); }
  F copy_sign(F magnitude, F sign) const {
    // The functions' magnitudes are not negative.
    return nodes_.add(Op::kOr, nodes_.add(Op::kAnd, sign, sign_bit()), magnitude);
  }
  F flip_sign(F x, I i) const { return nodes_.add(Op::kXor, x, i); }
  M less(F a, F b) const { return nodes_.add(Op::kCompare, a, b, kNone, kLess); }
  M less_equal(F a, F b) const { return nodes_.add(Op::kCompare, a, b, kNone, kLessEqual); }
  F select(M m, F a, F b) const { return nodes_.add(Op::kSelect, m, a, b); }
  I bits(F x) const { return x; }
  F floats(I i) const { return i; }
  I add_bits(I a, I b) const { return nodes_.add(Op::kAddInteger, a, b); }
  I sub_bits(I a, I b) const { return nodes_.add(Op::kSubInteger, a, b); }
  template <int kBits>
  I shift_left(I i) const {
    return nodes_.add(Op::kShiftLeft, i, kNone, kNone, kBits);
  }
  template <int kBits>
  I shift_right(I i) const {
    return nodes_.add(Op::kShiftRightSigned, i, kNone, kNone, kBits);
  }
  F from_integer(I i) const { return nodes_.add(Op::kToFloat, i); }
  F scale(F x, F n) const {
    if (nodes_.target() == Target::kAVX512) return nodes_.add(Op::kScale, x, n);
    const I whole = nodes_.add(Op::kToInteger, n), half = shift_right<1>(whole);
    return mul(mul(x, power(half)), power(sub_bits(whole, half)));
  }

 private:
  I sign_bit() const { return nodes_.constant(0x80000000u); }
  /// 2^n
  F power(I n) const { return shift_left<23>(add_bits(n, integer(127))); }

  Nodes& nodes_;
};

#include "alula/backends/cpu/float_functions-inl.h"

}  // namespace

bool is_function(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kErf: return true;
    default: return false;
  }
}

Id lower_function(Nodes& nodes, Opcode opcode, Id x) {
  const Arithmetic a(nodes);
  switch (opcode) {
    case Opcode::kExp: return float_exp(a, x);
    case Opcode::kExpm1: return float_expm1(a, x);
    case Opcode::kLog: return float_log(a, x);
    case Opcode::kLog1p: return float_log1p(a, x);
    case Opcode::kTanh: return float_tanh(a, x);
    case Opcode::kErf: return float_erf(a, x);
    default: break;
  }
  nodes.check(a.less_equal(a.abs(x), a.constant(kLargestAngle)));
  if (opcode == Opcode::kSin) return float_sin(a, x);
  if (opcode == Opcode::kCos) return float_cos(a, x);
  return float_tan(a, x);
}

}  // namespace alula::cpu::jit
