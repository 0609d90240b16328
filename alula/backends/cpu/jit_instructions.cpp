// The machine instruction of each operation.
#if ALULA_HAS_XBYAK
#include <utility>

#include "alula/backends/cpu/jit_emitter.h"

namespace alula::cpu::jit {

using Xbyak::Xmm;
using Xbyak::Ymm;

/// Computes one value, into its register or by way of one onto the stack.
void Emitter::instruction(Id id, int copy, Xbyak::Label& stopped) {
  const Node& node = nodes_[id];
  if (node.op == Op::kStore) return store(node, copy);
  if (node.op == Op::kCheck) return check(node, copy, stopped);
  const Place at = place(id, copy);
  if (node.lane == Lane::kTruth && is_avx512()) {
    const Mask to = at.is_register() ? Mask(at.index) : truth_scratch(0);
    truth_instruction(node, copy, to);
    if (!at.is_register()) kmovw(slot(at.index), to);
    return;
  }
  const Vector to = at.is_register() ? vector(at.index) : scratch(0);
  if (node.lane == Lane::kTruth)
    truth_as_words(node, copy, to);
  else
    word_instruction(node, copy, to);
  if (!at.is_register()) vmovups(slot(at.index), to);
}

void Emitter::word_instruction(const Node& node, int copy, const Vector& to) {
  auto [first, second, third] = node.operands;
  switch (node.op) {
    case Op::kLoad: return load(node, copy, to);
    case Op::kLoadOne:
    case Op::kParameter: return load_one(node, to);
    case Op::kMulAdd: return mul_add(node, copy, to);
    case Op::kSelect: return select(node, copy, to);
    // Of these the one operand may be in memory.
    case Op::kSqrt: return vsqrtps(to, source(first, copy).get());
    case Op::kToInteger: return vcvttps2dq(to, source(first, copy).get());
    case Op::kToFloat: return vcvtdq2ps(to, source(first, copy).get());
    case Op::kRound:
      if (is_avx512()) return vrndscaleps(to, source(first, copy).get(), node.immediate);
      return vroundps(to, source(first, copy).get(), node.immediate);
    // Where the order does not matter, what is in memory comes second.
    case Op::kAdd:
    case Op::kMul:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAddInteger:
    case Op::kMulInteger:
    case Op::kMinInteger:
    case Op::kMaxInteger:
      if (in_memory(first, copy)) std::swap(first, second);
      break;
    default: break;
  }
  const Vector a = in_register(first, copy, 1);
  if (second == kNone) {
    switch (node.op) {
      case Op::kShiftLeft: return vpslld(to, a, node.immediate);
      case Op::kShiftRight: return vpsrld(to, a, node.immediate);
      case Op::kShiftRightSigned: return vpsrad(to, a, node.immediate);
      default: break;  // kRoundToHalf
    }
    const Xmm half = is_avx512() ? Xmm(Ymm(to.getIdx())) : Xmm(to.getIdx());
    vcvtps2ph(half, a, 0);
    return vcvtph2ps(to, half);
  }
  const Source b = source(second, copy);
  switch (node.op) {
    case Op::kAdd: return vaddps(to, a, b.get());
    case Op::kSub: return vsubps(to, a, b.get());
    case Op::kMul: return vmulps(to, a, b.get());
    case Op::kDiv: return vdivps(to, a, b.get());
    case Op::kMin: return vminps(to, a, b.get());
    case Op::kMax: return vmaxps(to, a, b.get());
    case Op::kScale: return vscalefps(to, a, b.get());
    case Op::kAnd: return vandps(to, a, b.get());
    case Op::kAndNot: return vandnps(to, a, b.get());
    case Op::kOr: return vorps(to, a, b.get());
    case Op::kXor: return vxorps(to, a, b.get());
    case Op::kAddInteger: return vpaddd(to, a, b.get());
    case Op::kSubInteger: return vpsubd(to, a, b.get());
    case Op::kMulInteger: return vpmulld(to, a, b.get());
    case Op::kMinInteger: return vpminsd(to, a, b.get());
    default: return vpmaxsd(to, a, b.get());
  }
}

/// a * b + c. The instructions write over one of the three, and take one from memory.
void Emitter::mul_add(const Node& node, int copy, const Vector& to) {
  auto [a, b, c] = node.operands;
  const auto is_result = [&](Id id) {
    const Place at = place(id, copy);
    return at.is_register() && at.index == to.getIdx();
  };
  if (in_memory(a, copy) || is_result(b)) std::swap(a, b);
  if (is_result(c)) return vfmadd231ps(to, in_register(a, copy, 1), source(b, copy).get());
  if (is_result(a)) {
    if (in_memory(b, copy) && !in_memory(c, copy))
      return vfmadd132ps(to, vector(place(c, copy).index), source(b, copy).get());
    return vfmadd213ps(to, in_register(b, copy, 1), source(c, copy).get());
  }
  // None ends here: one is copied, if possible on its way from memory.
  if (in_memory(c, copy)) {
    load_value(place(c, copy), to);
    return vfmadd231ps(to, in_register(a, copy, 1), source(b, copy).get());
  }
  if (in_memory(b, copy))
    load_value(place(b, copy), to);
  else
    vmovaps(to, vector(place(b, copy).index));
  vfmadd213ps(to, in_register(a, copy, 1), source(c, copy).get());
}

void Emitter::select(const Node& node, int copy, const Vector& to) {
  const auto [condition, yes, no] = node.operands;
  if (!is_avx512()) {
    const Vector truths = in_register(condition, copy, 2);
    return vblendvps(to, in_register(no, copy, 1), source(yes, copy).get(), truths);
  }
  const Mask truths = truth_in_register(condition, copy, 0);
  if (is_zero(no) && !in_memory(yes, copy))
    return vmovaps(to | truths | T_z, vector(place(yes, copy).index));
  vblendmps(to | truths, in_register(no, copy, 1), source(yes, copy).get());
}

void Emitter::truth_instruction(const Node& node, int copy, const Mask& to) {
  const auto [a, b, c] = node.operands;
  switch (node.op) {
    case Op::kLoad: return load_truths(node, copy, to);
    case Op::kLoadOne:
    case Op::kParameter: {
      const Vector words = scratch(0);
      load_one(node, words);
      return vptestmd(to, words, words);
    }
    case Op::kCompare:
      return vcmpps(to, in_register(a, copy, 1), source(b, copy).get(), node.immediate);
    case Op::kCompareInteger:
      return vpcmpd(to, in_register(a, copy, 1), source(b, copy).get(), node.immediate);
    case Op::kInvert: return knotw(to, truth_in_register(a, copy, 0));
    default: break;
  }
  const Mask x = truth_in_register(a, copy, 0), y = truth_in_register(b, copy, 1);
  if (node.op == Op::kBoth) return kandw(to, x, y);
  if (node.op == Op::kEither) return korw(to, x, y);
  kxorw(to, x, y);
}

/// With AVX2, a lane that is true has all its bits set.
void Emitter::truth_as_words(const Node& node, int copy, const Vector& to) {
  const auto [a, b, c] = node.operands;
  switch (node.op) {
    case Op::kLoad: return load(node, copy, to);
    case Op::kLoadOne:
    case Op::kParameter: load_one(node, to); return vpcmpgtd(to, to, ptr[rip + zeros_]);
    default: break;
  }
  const Vector x = in_register(a, copy, 1);
  if (node.op == Op::kInvert) return vxorps(to, x, ptr[rip + all_ones_]);
  const Source y = source(b, copy);
  switch (node.op) {
    case Op::kCompare: return vcmpps(to, x, y.get(), node.immediate);
    case Op::kCompareInteger:
      return node.immediate == kEqualTo ? vpcmpeqd(to, x, y.get()) : vpcmpgtd(to, x, y.get());
    case Op::kBoth: return vandps(to, x, y.get());
    case Op::kEither: return vorps(to, x, y.get());
    default: return vxorps(to, x, y.get());
  }
}

void Emitter::check(const Node& node, int copy, Xbyak::Label& stopped) {
  const Id id = node.operands[0];
  if (!is_avx512()) {
    vmovmskps(r11d, in_register(id, copy, 0));
    cmp(r11d, 0xff);
    jne(stopped, T_NEAR);
    return;
  }
  Mask truths = truth_in_register(id, copy, 0);
  if (masked_) {  // what lies behind the last element does not matter
    knotw(k0, last_lanes());
    korw(k0, k0, truths);
    truths = k0;
  }
  kortestw(truths, truths);
  jnc(stopped, T_NEAR);
}

}  // namespace alula::cpu::jit
#endif
