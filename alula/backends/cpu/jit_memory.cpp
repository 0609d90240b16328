// Reading and writing elements: bools are bytes, 16-bit floats are computed with as float32.
#if ALULA_HAS_XBYAK
#include <algorithm>

#include "alula/backends/cpu/jit_emitter.h"

namespace alula::cpu::jit {

using Xbyak::Xmm;
using Xbyak::Ymm;

Xbyak::Address Emitter::constant(int index) {
  const uint8_t* at = pool_ + static_cast<ptrdiff_t>(index) * (is_avx512() ? 4 : vector_bytes_);
  return is_avx512() ? ptr_b[rip + at] : ptr[rip + at];
}

void Emitter::load_value(const Place& place, const Vector& to) {
  if (place.kind == Place::Kind::kStack)
    vmovups(to, slot(place.index));
  else if (is_avx512())
    vbroadcastss(to, ptr[rip + pool_ + static_cast<ptrdiff_t>(place.index) * 4]);
  else
    vmovups(to, constant(place.index));
}

Emitter::Vector Emitter::in_register(Id id, int copy, int k) {
  const Place at = place(id, copy);
  if (at.is_register()) return vector(at.index);
  load_value(at, scratch(k));
  return scratch(k);
}

Emitter::Mask Emitter::truth_in_register(Id id, int copy, int k) {
  const Place at = place(id, copy);
  if (at.is_register()) return Mask(at.index);
  kmovw(truth_scratch(k), slot(at.index));
  return truth_scratch(k);
}

Emitter::Source Emitter::source(Id id, int copy) {
  const Place at = place(id, copy);
  if (at.is_register()) return Source(vector(at.index));
  return Source(at.kind == Place::Kind::kStack ? slot(at.index) : constant(at.index));
}

/// Where a tensor's elements for this step are.
Xbyak::Address Emitter::element(const Node& node, int copy, int tensor) {
  const auto at =
      static_cast<size_t>(std::find(tensors_.begin(), tensors_.end(), tensor) - tensors_.begin());
  Xbyak::Reg64 base = r11;
  if (at < pointers_.size())
    base = pointers_[at];
  else
    mov(r11, ptr[rdi + 8 * tensor]);
  const int width = static_cast<int>(size_of(node.dtype));
  return ptr[base + rax * width + copy * lanes_ * width];
}

void Emitter::load(const Node& node, int copy, const Vector& to) {
  const Address from = element(node, copy, static_cast<int>(node.payload));
  const Vector kept = masked_ ? Vector(to | last_lanes() | T_z) : to;
  switch (node.dtype) {
    case boolean:  // AVX2
      vpmovzxbd(to, from);
      vpcmpgtd(to, to, ptr[rip + zeros_]);
      break;
    case int8: vpmovsxbd(kept, from); break;
    case uint8: vpmovzxbd(kept, from); break;
    case float16: vcvtph2ps(kept, from); break;
    case bfloat16:
      vpmovzxwd(kept, from);
      vpslld(to, to, 16);
      break;
    default: vmovups(kept, from); break;
  }
}

void Emitter::load_truths(const Node& node, int copy, const Mask& to) {
  const Xmm bytes(scratch(0).getIdx());
  const Address from = element(node, copy, static_cast<int>(node.payload));
  vmovdqu8(masked_ ? Xmm(bytes | last_lanes() | T_z) : bytes, from);
  vptestmb(to, bytes, bytes);
}

/// An input's one element, or a parameter, in every lane.
void Emitter::load_one(const Node& node, const Vector& to) {
  const Xmm low(to.getIdx());
  if (node.op == Op::kLoadOne) mov(r11, ptr[rdi + 8 * static_cast<int>(node.payload)]);
  const Address from =
      node.op == Op::kLoadOne ? ptr[r11] : ptr[rsi + 8 * static_cast<int>(node.payload)];
  switch (node.dtype) {
    case float16:
      vpbroadcastw(low, from);
      vcvtph2ps(low, low);
      vbroadcastss(to, low);
      break;
    case bfloat16:
      vpbroadcastw(low, from);
      vpslld(low, low, 16);
      vbroadcastss(to, low);
      break;
    case int8:
      vpbroadcastb(low, from);
      vpmovsxbd(to, low);
      break;
    case boolean:
    case uint8:
      vpbroadcastb(low, from);
      vpmovzxbd(to, low);
      break;
    default: vbroadcastss(to, from); break;
  }
}

void Emitter::store(const Node& node, int copy) {
  const Id value = node.operands[0];
  const Address plain = element(node, copy, inputs_ + static_cast<int>(node.payload));
  const Address to = masked_ ? Address(plain | last_lanes()) : plain;
  if (node.dtype == boolean) return store_truths(node, copy, to);
  const Vector from = in_register(value, copy, 0);
  const Vector moment = scratch(0);
  switch (node.dtype) {
    case float16: vcvtps2ph(to, from, 0); break;
    case bfloat16:
      if (is_avx512()) {
        vpsrld(moment, from, 16);
        vpmovdw(to, moment);
      } else {
        vpshufb(moment, from, ptr[rip + upper_halves_]);
        vpermq(Ymm(moment.getIdx()), Ymm(moment.getIdx()), 8);
        vmovups(to, Xmm(moment.getIdx()));
      }
      break;
    default:
      if (stores_ == Stores::kStreaming && !masked_)
        vmovntps(to, from);
      else
        vmovups(to, from);
  }
}

void Emitter::store_truths(const Node& node, int copy, const Address& to) {
  const Xmm bytes(scratch(0).getIdx());
  if (is_avx512()) {
    const Mask truths = truth_in_register(node.operands[0], copy, 0);
    vmovdqu8(bytes | truths | T_z, ptr[rip + byte_ones_]);
    vmovdqu8(to, bytes);
    return;
  }
  const Vector words = in_register(node.operands[0], copy, 1);
  vextracti128(bytes, Ymm(words.getIdx()), 1);
  vpackssdw(bytes, Xmm(words.getIdx()), bytes);
  vpacksswb(bytes, bytes, bytes);
  vpabsb(bytes, bytes);
  vmovq(to, bytes);
}

}  // namespace alula::cpu::jit
#endif
