// The frame of a function: constants, registers, loops.
#if ALULA_HAS_XBYAK
#include "alula/backends/cpu/jit_emitter.h"

#include <algorithm>

namespace alula::cpu::jit {
namespace {

// While the function runs: rdi the addresses, rdx n, rax the position, rcx where whole steps end,
// r11 for moments, and as many addresses as there are registers for.
constexpr int kPointerRegisters = 10;

}  // namespace

Emitter::Emitter(const Nodes& nodes, const Plan& plan, int inputs, Stores stores,
                 std::vector<uint8_t>& buffer)
    : CodeGenerator(buffer.size(), buffer.data()),
      nodes_(nodes),
      plan_(plan),
      target_(nodes.target()),
      inputs_(inputs),
      stores_(stores),
      lanes_(lanes_of(target_)),
      vector_bytes_(lanes_ * 4),
      pool_(buffer.data()) {}

size_t Emitter::function() {
  write_pool();
  const size_t entry = getSize();
  endbr64();
  load_addresses();
  allocation_ = plan_.prologue.get();
  Xbyak::Label stopped;
  for (Id id : plan_.before) instruction(id, 0, stopped);
  if (std::find(pointers_.begin(), pointers_.end(), rsi) != pointers_.end()) {
    const auto at = std::find(pointers_.begin(), pointers_.end(), rsi) - pointers_.begin();
    mov(rsi, ptr[rdi + 8 * tensors_[static_cast<size_t>(at)]]);
  }
  xor_(eax, eax);
  whole_vectors(*plan_.many, stopped);
  if (is_avx512())
    last_vectors(stopped);
  else if (plan_.many->copies() > 1)
    whole_vectors(*plan_.one, stopped);
  L(stopped);
  if (stores_ == Stores::kStreaming) sfence();
  vzeroupper();
  restore_registers();
  ret();
  return entry;
}

/// With AVX-512 an instruction repeats a word of memory by itself; with AVX2 the pool does.
void Emitter::write_pool() {
  const auto repeat = [this](uint32_t bits, int count) {
    const auto* at = getCurr();
    for (int i = 0; i < count; ++i) dd(bits);
    return at;
  };
  const int count = is_avx512() ? 1 : lanes_;
  for (Id id : nodes_.constants()) repeat(nodes_[id].payload, count);
  byte_ones_ = repeat(0x01010101u, 4);
  zeros_ = repeat(0, count);
  all_ones_ = repeat(0xffffffffu, count);
  upper_halves_ = getCurr();
  for (int half = 0; half < 2; ++half) {
    for (uint8_t i = 0; i < 4; ++i) {
      db(i * 4 + 2);
      db(i * 4 + 3);
    }
    for (int i = 0; i < 8; ++i) db(0x80);
  }
  align(64);
}

void Emitter::save_registers() {
  for (const Xbyak::Reg64& reg : saved_) push(reg);
  if (plan_.slots == 0) return;
  const int frame = plan_.slots * vector_bytes_;
  mov(r11, rsp);
  sub(rsp, frame + 8);
  and_(rsp, -64);
  mov(ptr[rsp + frame], r11);
}

void Emitter::restore_registers() {
  if (plan_.slots > 0) mov(rsp, ptr[rsp + plan_.slots * vector_bytes_]);
  for (size_t i = saved_.size(); i-- > 0;) pop(saved_[i]);
}

/// Finds the tensors that each step needs, and takes their addresses into registers. The last of
/// these is rsi, which holds the call's words until what is computed once has been.
void Emitter::load_addresses() {
  for (Id id : plan_.each) {
    const Node& node = nodes_[id];
    if (node.op != Op::kLoad && node.op != Op::kStore) continue;
    const int tensor = static_cast<int>(node.payload) + (node.op == Op::kStore ? inputs_ : 0);
    if (std::find(tensors_.begin(), tensors_.end(), tensor) == tensors_.end())
      tensors_.push_back(tensor);
  }
  const Xbyak::Reg64 registers[kPointerRegisters] = {r8,  r9,  r10, rsi, rbx,
                                                     rbp, r12, r13, r14, r15};
  for (size_t i = 0; i < std::min<size_t>(tensors_.size(), kPointerRegisters); ++i) {
    pointers_.push_back(registers[i]);
    if (i >= 4) saved_.push_back(registers[i]);
  }
  save_registers();
  for (size_t i = 0; i < pointers_.size(); ++i)
    if (pointers_[i].getIdx() != rsi.getIdx()) mov(pointers_[i], ptr[rdi + 8 * tensors_[i]]);
}

/// Steps of as many vectors as the allocation has copies, as long as they are whole.
void Emitter::whole_vectors(const Allocation& allocation, Xbyak::Label& stopped) {
  const int step = allocation.copies() * lanes_;
  Xbyak::Label again, end;
  lea(rcx, ptr[rdx - step]);
  cmp(rax, rcx);
  jg(end, T_NEAR);
  align(16);
  L(again);
  body(allocation, stopped);
  add(rax, step);
  cmp(rax, rcx);
  jle(again, T_NEAR);
  L(end);
}

/// The vectors that are left, the last of which need not be whole.
void Emitter::last_vectors(Xbyak::Label& stopped) {
  Xbyak::Label again, end;
  masked_ = true;
  L(again);
  mov(rcx, rdx);
  sub(rcx, rax);
  jle(end, T_NEAR);
  mov(r11d, -1);
  bzhi(r11d, r11d, ecx);  // there are at most 63
  kmovw(last_lanes(), r11d);
  body(*plan_.one, stopped);
  add(rax, lanes_);
  jmp(again, T_NEAR);
  L(end);
  mov(rax, rdx);
  masked_ = false;
}

void Emitter::body(const Allocation& allocation, Xbyak::Label& stopped) {
  allocation_ = &allocation;
  for (Id id : plan_.each)
    for (int copy = 0; copy < allocation.copies(); ++copy) instruction(id, copy, stopped);
}

}  // namespace alula::cpu::jit
#endif
