#include "alula/backends/cpu/jit_emit.h"

#if ALULA_HAS_XBYAK
#include <xbyak/xbyak.h>

#include "alula/backends/cpu/jit_emitter.h"

namespace alula::cpu::jit {
namespace {

size_t room_for(const Nodes& nodes, const Plan& plan) {
  const size_t bodies = static_cast<size_t>(plan.many->copies()) + 3;
  return 2048 + 32 * nodes.constants().size() + 24 * bodies * nodes.all().size();
}

}  // namespace

Emitted emit(const Nodes& nodes, const Plan& plan, int inputs, Stores stores) {
  Emitted result;
  result.bytes.resize(room_for(nodes, plan));
  try {
    Emitter emitter(nodes, plan, inputs, stores, result.bytes);
    result.entry = emitter.function();
    result.bytes.resize(emitter.getSize());
  } catch (const Xbyak::Error&) {
    return {};
  }
  return result;
}

}  // namespace alula::cpu::jit

#else

namespace alula::cpu::jit {
Emitted emit(const Nodes&, const Plan&, int, Stores) { return {}; }
}  // namespace alula::cpu::jit

#endif
