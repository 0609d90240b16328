// clang-format off: the instruction sets must be named before Highway is included
#include "alula/backends/cpu/targets.h"
#include <hwy/targets.h>
// clang-format on

#include "alula/backends/cpu/jit.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if ALULA_HAS_XBYAK
#include <sys/mman.h>
#endif

namespace alula::cpu::jit {
namespace {

#if ALULA_HAS_XBYAK
bool is_switched_on() {
  static const bool on = [] {
    const char* text = std::getenv("ALULA_JIT");
    return text == nullptr || std::strcmp(text, "0") != 0;
  }();
  return on;
}
#endif

/// Measured with AVX-512: what computing costs on data in the first-level cache, and something for
/// data that are not there.
double cost_of(const Nodes& nodes, const Plan& plan) {
  double vectors = 0, bytes = 0;
  for (Id id : plan.each) {
    const Node& node = nodes[id];
    vectors += node.op == Op::kDiv || node.op == Op::kSqrt ? 1.6 : 0.13;
    if (node.op == Op::kLoad || node.op == Op::kStore)
      bytes += static_cast<double>(size_of(node.dtype));
  }
  return vectors / lanes_of(nodes.target()) + 0.01 * bytes;
}

}  // namespace

bool find_target(Target* target) {
#if ALULA_HAS_XBYAK
  if (!is_switched_on()) return false;
  const int64_t supported = hwy::SupportedTargets();
  *target = (supported & HWY_AVX3) != 0 ? Target::kAVX512 : Target::kAVX2;
  return (supported & (HWY_AVX3 | HWY_AVX2)) != 0;
#else
  *target = Target::kAVX2;
  return false;
#endif
}

std::unique_ptr<MachineCode> MachineCode::make(const scalar::Program& program, uint64_t ones,
                                               Stores stores) {
  Target target;
  return find_target(&target) ? make(program, ones, stores, target) : nullptr;
}

std::unique_ptr<MachineCode> MachineCode::make(const scalar::Program& program, uint64_t ones,
                                               Stores stores, Target target) {
  if (program.inputs().size() + program.results().size() > kMostTensors) return nullptr;
  Nodes nodes(target);
  if (!lower(program, ones, nodes)) return nullptr;
  const Plan plan = make_plan(nodes);
  const auto inputs = static_cast<int>(program.inputs().size());
  const Emitted emitted = emit(nodes, plan, inputs, stores);
  if (emitted.bytes.empty()) return nullptr;

  std::unique_ptr<MachineCode> code(new MachineCode);
  if (!code->map(emitted)) return nullptr;
  code->target_ = target;
  code->step_ = static_cast<int64_t>(lanes_of(target)) * plan.many->copies();
  code->can_stop_ = std::any_of(nodes.all().begin(), nodes.all().end(),
                                [](const Node& node) { return node.op == Op::kCheck; });
  code->nanoseconds_ = cost_of(nodes, plan);
  code->inputs_ = program.inputs().size();
  for (size_t i = 0; i < program.inputs().size(); ++i)
    code->widths_.push_back(
        (ones >> i & 1) != 0 ? 0 : static_cast<uint8_t>(size_of(program.inputs()[i])));
  for (uint16_t result : program.results())
    code->widths_.push_back(static_cast<uint8_t>(size_of(program.code()[result].dtype)));
  return code;
}

/// Puts the code where it can run. It is never writable and executable at once.
bool MachineCode::map(const Emitted& emitted) {
#if ALULA_HAS_XBYAK
  const size_t bytes = emitted.bytes.size();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  std::memcpy(memory, emitted.bytes.data(), bytes);
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) {  // a hardened system
    munmap(memory, bytes);
    return false;
  }
  memory_ = memory;
  bytes_ = bytes;
  function_ = reinterpret_cast<Function>(static_cast<uint8_t*>(memory) + emitted.entry);
  return true;
#else
  return !emitted.bytes.empty();
#endif
}

MachineCode::~MachineCode() {
#if ALULA_HAS_XBYAK
  if (memory_ != nullptr) munmap(memory_, bytes_);
#endif
}

int64_t MachineCode::operator()(std::byte* const* addresses, const uint64_t* words,
                                int64_t n) const {
  const int64_t done = function_(addresses, words, n);
  if (done == n || n - done >= lanes_of(target_) || target_ == Target::kAVX512) return done;
  return part_of_vector(addresses, words, done, n);
}

/// With AVX2, the last elements are copied to a whole vector of their own and back.
int64_t MachineCode::part_of_vector(std::byte* const* addresses, const uint64_t* words,
                                    int64_t done, int64_t n) const {
  constexpr size_t kVector = 32;
  const auto rest = static_cast<size_t>(n - done);
  alignas(kVector) std::byte copies[kMostTensors][kVector];
  std::byte* moved[kMostTensors];
  for (size_t i = 0; i < widths_.size(); ++i) {
    moved[i] = widths_[i] == 0 ? addresses[i] : copies[i];
    if (widths_[i] == 0 || i >= inputs_) continue;
    std::memset(moved[i], 0, kVector);
    std::memcpy(moved[i], addresses[i] + done * widths_[i], rest * widths_[i]);
  }
  if (function_(moved, words, lanes_of(target_)) == 0) return done;
  for (size_t i = inputs_; i < widths_.size(); ++i)
    std::memcpy(addresses[i] + done * widths_[i], moved[i], rest * widths_[i]);
  return n;
}

}  // namespace alula::cpu::jit
