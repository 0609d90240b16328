// From the instructions of scalar programs to those of vectors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "alula/backends/cpu/jit_nodes.h"

namespace alula::cpu::jit {
namespace {

using scalar::Instruction;
using scalar::Opcode;

// The directions of kRound, without noting that something was lost.
constexpr int kToEven = 8, kDown = 9, kUp = 10;

/// Computed as a float: 16-bit floats are values that float32 has, too.
bool is_float(DType dtype) { return dtype == float32 || is_half(dtype); }
/// Computed with as an int32. Of the smaller ones only what cannot leave their range.
bool is_int(DType dtype) { return dtype == int32 || dtype == int8 || dtype == uint8; }

bool can_load(DType dtype) { return is_float(dtype) || is_int(dtype) || dtype == boolean; }
bool can_store(DType dtype) { return is_float(dtype) || dtype == int32 || dtype == boolean; }

class Lowering {
 public:
  Lowering(const scalar::Program& program, uint64_t ones, Nodes& nodes)
      : program_(program),
        ones_(ones),
        nodes_(nodes),
        ids_(program.code().size(), kNone),
        words_(program.code().size(), 0) {
    uint32_t word = 0;
    for (size_t i = 0; i < ids_.size(); ++i) {
      const Opcode opcode = program.code()[i].opcode;
      if (opcode == Opcode::kConstant || opcode == Opcode::kParameter) words_[i] = word++;
    }
  }

  bool run() {
    const std::vector<Instruction>& code = program_.code();
    if (program_.can_fail() || program_.inputs().size() > 64) return false;
    for (size_t i = 0; i < code.size(); ++i) {
      if (!can_load(code[i].dtype)) return false;
      if (scalar::operand_count(code[i].opcode) == 0) continue;
      ids_[i] = step(code[i]);
      if (ids_[i] == kNone || nodes_.all().size() > kMostNodes) return false;
    }
    // All inputs are read before the first output is written: they may be the same memory.
    for (uint16_t result : program_.results())
      if (!can_store(code[result].dtype) || value(result) == kNone) return false;
    for (size_t k = 0; k < program_.results().size(); ++k) {
      const uint16_t result = program_.results()[k];
      nodes_.store(value(result), code[result].dtype, static_cast<uint32_t>(k));
    }
    nodes_.mark_live();
    return true;
  }

 private:
  static constexpr size_t kMostNodes = 1500;

  /// The value of an instruction; what is read from memory is so when it is first needed.
  Id value(uint16_t position) {
    Id& id = ids_[position];
    if (id != kNone) return id;
    const Instruction& step = program_.code()[position];
    if (step.opcode == Opcode::kInput) {
      const auto input = static_cast<uint32_t>(step.index);
      id = nodes_.load(step.dtype, input, (ones_ >> input & 1) != 0);
    } else if (step.opcode == Opcode::kParameter) {
      id = nodes_.parameter(step.dtype, words_[position]);
    } else {
      id = constant(step);
    }
    return id;
  }

  Id constant(const Instruction& step) {
    switch (step.dtype) {
      case float32: return nodes_.constant(static_cast<float>(step.number));
      case float16: return nodes_.constant(float{Half(static_cast<float>(step.number))});
      case bfloat16: return nodes_.constant(float{BFloat16(static_cast<float>(step.number))});
      case boolean: return equal(integer(step.integer != 0 ? 0 : 1), integer(0));
      case int8: return integer(static_cast<int8_t>(step.integer));
      case uint8: return integer(static_cast<uint8_t>(step.integer));
      default: return integer(static_cast<int32_t>(step.integer));
    }
  }

  Id integer(int32_t value) { return nodes_.constant(static_cast<uint32_t>(value)); }
  Id add(Op op, Id a, Id b = kNone, Id c = kNone, int immediate = 0) {
    return nodes_.add(op, a, b, c, immediate);
  }
  Id compare(Predicate predicate, Id a, Id b) { return add(Op::kCompare, a, b, kNone, predicate); }
  Id equal(Id a, Id b) { return add(Op::kCompareInteger, a, b, kNone, kEqualTo); }
  Id greater(Id a, Id b) { return add(Op::kCompareInteger, a, b, kNone, kGreaterThan); }
  Id invert(Id x) { return add(Op::kInvert, x); }

  Id step(const Instruction& step) {
    Id operands[3] = {kNone, kNone, kNone};
    const int count = scalar::operand_count(step.opcode);
    for (int k = 0; k < count; ++k) operands[k] = value(step.operands[k]);
    const auto [a, b, c] = operands;
    const DType from = program_.code()[step.operands[count - 1]].dtype;
    if (step.opcode == Opcode::kCast) return cast(a, from, step.dtype);
    if (step.opcode == Opcode::kSelect) return select(a, b, c);
    if (from == boolean) return of_truths(step.opcode, a, b);
    if (is_int(from)) return of_integers(step.opcode, from, a, b);
    if (from != float32) return kNone;
    if (is_function(step.opcode)) return lower_function(nodes_, step.opcode, a);
    return of_floats(step.opcode, a, b);
  }

  Id of_floats(Opcode opcode, Id a, Id b) {
    switch (opcode) {
      case Opcode::kNeg: return add(Op::kXor, a, nodes_.constant(0x80000000u));
      case Opcode::kAbs: return add(Op::kAnd, a, nodes_.constant(0x7fffffffu));
      case Opcode::kSqrt: return add(Op::kSqrt, a);
      case Opcode::kFloor: return add(Op::kRound, a, kNone, kNone, kDown);
      case Opcode::kCeil: return add(Op::kRound, a, kNone, kNone, kUp);
      case Opcode::kRound: return add(Op::kRound, a, kNone, kNone, kToEven);
      case Opcode::kAdd: return add(Op::kAdd, a, b);
      case Opcode::kSub: return add(Op::kSub, a, b);
      case Opcode::kMul: return add(Op::kMul, a, b);
      case Opcode::kDiv: return add(Op::kDiv, a, b);
      case Opcode::kFloorDiv: return add(Op::kRound, add(Op::kDiv, a, b), kNone, kNone, kDown);
      case Opcode::kMin: return extreme(Op::kMin, kNotGreaterOrEqual, a, b);
      case Opcode::kMax: return extreme(Op::kMax, kNotLessOrEqual, a, b);
      case Opcode::kEqual: return compare(kEqual, a, b);
      case Opcode::kNotEqual: return compare(kNotEqual, a, b);
      case Opcode::kLess: return compare(kLess, a, b);
      case Opcode::kLessEqual: return compare(kLessEqual, a, b);
      default: return kNone;
    }
  }

  /// The smaller or larger: a if that is NaN, b if they are equal. `first`: a is it, or one is NaN.
  Id extreme(Op op, Predicate first, Id a, Id b) {
    if (is_number(a)) return add(op, a, b);
    if (is_number(b)) return add(Op::kSelect, compare(first, a, b), a, b);
    return add(Op::kSelect, compare(kUnordered, a, a), a, add(op, a, b));
  }
  bool is_number(Id id) const {
    return nodes_[id].op == Op::kConstant && !std::isnan(std::bit_cast<float>(nodes_[id].payload));
  }

  Id of_integers(Opcode opcode, DType dtype, Id a, Id b) {
    switch (opcode) {
      case Opcode::kMin: return add(Op::kMinInteger, a, b);
      case Opcode::kMax: return add(Op::kMaxInteger, a, b);
      case Opcode::kFloor:
      case Opcode::kCeil:
      case Opcode::kRound: return a;
      case Opcode::kEqual: return equal(a, b);
      case Opcode::kNotEqual: return invert(equal(a, b));
      case Opcode::kLess: return greater(b, a);
      case Opcode::kLessEqual: return invert(greater(a, b));
      default: break;
    }
    if (dtype != int32) return kNone;
    switch (opcode) {
      case Opcode::kNeg: return add(Op::kSubInteger, integer(0), a);
      case Opcode::kAbs: return add(Op::kMaxInteger, a, add(Op::kSubInteger, integer(0), a));
      case Opcode::kAdd: return add(Op::kAddInteger, a, b);
      case Opcode::kSub: return add(Op::kSubInteger, a, b);
      case Opcode::kMul: return add(Op::kMulInteger, a, b);
      default: return kNone;
    }
  }

  Id of_truths(Opcode opcode, Id a, Id b) {
    switch (opcode) {
      case Opcode::kNot: return invert(a);
      case Opcode::kAnd: return add(Op::kBoth, a, b);
      case Opcode::kOr: return add(Op::kEither, a, b);
      case Opcode::kEqual: return invert(add(Op::kDiffer, a, b));
      case Opcode::kNotEqual: return add(Op::kDiffer, a, b);
      default: return kNone;
    }
  }

  Id select(Id condition, Id a, Id b) {
    if (nodes_[a].lane == Lane::kWord) return add(Op::kSelect, condition, a, b);
    return add(Op::kEither, add(Op::kBoth, condition, a), add(Op::kBoth, invert(condition), b));
  }

  Id cast(Id x, DType from, DType to) {
    if (from == to) return x;
    if (to == boolean)
      return is_float(from) ? compare(kNotEqual, x, nodes_.constant(0.0f))
                            : invert(equal(x, integer(0)));
    if (is_float(to)) {
      if (from == boolean) return select(x, nodes_.constant(1.0f), nodes_.constant(0.0f));
      if (is_int(from)) x = add(Op::kToFloat, x);
      if (to == float16) return add(Op::kRoundToHalf, x);
      return to == bfloat16 ? to_bfloat16(x) : x;
    }
    if (to != int32) return kNone;
    if (from == boolean) return select(x, integer(1), integer(0));
    return is_int(from) ? x : to_integer(x);
  }

  /// Too small or too large a number goes to the nearest limit, NaN to 0. The instruction itself
  /// yields the lower limit for all of them.
  Id to_integer(Id x) {
    const Id too_large = compare(kLessEqual, nodes_.constant(0x1p31f), x);
    const Id inside = add(Op::kToInteger, x);
    const Id limited =
        add(Op::kSelect, too_large, integer(std::numeric_limits<int32_t>::max()), inside);
    return add(Op::kSelect, compare(kUnordered, x, x), integer(0), limited);
  }

  /// To nearest even: the 16 lower bits carry into the upper ones.
  Id to_bfloat16(Id x) {
    const Id odd = add(Op::kAnd, add(Op::kShiftRight, x, kNone, kNone, 16), integer(1));
    const Id sum = add(Op::kAddInteger, add(Op::kAddInteger, x, integer(0x7fff)), odd);
    const Id nan = add(Op::kOr, x, integer(0x00400000));
    const Id rounded = add(Op::kSelect, compare(kUnordered, x, x), nan, sum);
    return add(Op::kAnd, rounded, nodes_.constant(0xffff0000u));
  }

  const scalar::Program& program_;
  uint64_t ones_;
  Nodes& nodes_;
  std::vector<Id> ids_;          // one an instruction
  std::vector<uint32_t> words_;  // of constants and parameters: which word of the call's
};

}  // namespace

bool lower(const scalar::Program& program, uint64_t ones, Nodes& nodes) {
  return Lowering(program, ones, nodes).run();
}

}  // namespace alula::cpu::jit
