// A plugin in the place of libalula_cuda.so, for machines without a GPU: /GPU:0 is the host, and
// runs the GPU's own kernels. ALULA_PLUGIN names it.
#include "alula/runtime/plugin.h"

#include <cstring>

#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/emulated/card.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/core/memory.h"
#include "alula/ops/elementwise.h"
#include "alula/runtime/backend.h"
#include "alula/runtime/devices.h"

namespace alula::cuda::emulated {
namespace {

using Views = InlineVector<View, 4>;

/// Plain elementwise ops are run by the CPU's kernel, unless ALULA_EMULATED_ELEMENTWISE is set:
/// each would be a kernel to compile, and codegen_test compares them all.
bool is_left_to_cpu(const Op& op) {
  static const bool all = std::getenv("ALULA_EMULATED_ELEMENTWISE") != nullptr;
  return !all && &op.type() == &ElementwiseOp::static_type();
}

/// A captured list of calls: what a kernel reads on the host while it is captured stays as it was
/// then, as on a GPU.
class EmulatedGraph final : public Executable {
 public:
  EmulatedGraph(EmulatedCard& card, std::vector<Step> steps)
      : card_(card), steps_(std::move(steps)) {}
  ~EmulatedGraph() override { release(); }

  void run(std::span<void* const> slots) override {
    if (!captured_ || !std::equal(slots.begin(), slots.end(), slots_.begin(), slots_.end()))
      capture(slots);
    for (const auto& work : recording_) work();
  }

 private:
  void capture(std::span<void* const> slots) {
    captured_ = false;
    release();
    recording_.clear();
    card_.kept_scratch = &scratch_;
    {
      Chain chain(card_);
      for (const Step& step : steps_) put(step, slots);
      chain.finish(&recording_);
    }
    card_.kept_scratch = nullptr;
    slots_.assign(slots.begin(), slots.end());
    captured_ = true;
  }
  void put(const Step& step, std::span<void* const> slots) {
    const CurrentCard current(card_);
    const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
    if (is_left_to_cpu(*step.op)) {
      Chain::current(card_)->finish(&recording_);
      recording_.push_back([op = step.op, inputs, outputs] {
        op->type().kernel(DeviceType::kCPU)(*op, {.inputs = inputs, .outputs = outputs});
      });
    } else {
      step.op->type().kernel(DeviceType::kGPU)(
          *step.op, {.inputs = inputs, .outputs = outputs, .queue = &recording_});
    }
  }
  static Views bind(const std::vector<Operand>& operands, std::span<void* const> slots) {
    Views views;
    for (const Operand& operand : operands)
      views.push_back(
          {&operand.spec, static_cast<std::byte*>(slots[operand.slot]) + operand.offset});
    return views;
  }
  void release() {
    for (const auto& [block, bytes] : scratch_) memory::release(block, bytes);
    scratch_.clear();
  }

  EmulatedCard& card_;
  std::vector<Step> steps_;
  std::vector<void*> slots_;
  bool captured_ = false;
  Recording recording_;
  std::vector<std::pair<void*, size_t>> scratch_;
};

class EmulatedBackend final : public Backend {
 public:
  Device device() const override { return {DeviceType::kGPU, 0}; }
  std::string description() const override { return "the host, emulating a GPU"; }
  MemoryInfo memory() const override { return {.total = int64_t{1} << 32}; }
  void* allocate(size_t bytes) override { return memory::allocate(bytes); }
  void release(void* block, size_t bytes) noexcept override { memory::release(block, bytes); }

  bool supports(const Op& op, SpecRefs inputs) const override {
    return op.type().kernel(DeviceType::kGPU) != nullptr && takes(op.type(), inputs);
  }
  void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) override {
    const CurrentCard current(card_);
    const DeviceType type = is_left_to_cpu(op) ? DeviceType::kCPU : DeviceType::kGPU;
    op.type().kernel(type)(op, {.inputs = inputs, .outputs = outputs});
  }
  std::unique_ptr<Executable> prepare(std::vector<Step> steps) override {
    return std::make_unique<EmulatedGraph>(card_, std::move(steps));
  }

  void copy_from_host(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }

  Ticket record() override { return 1; }
  void wait(Ticket) override {}
  bool done(Ticket) override { return true; }

 private:
  EmulatedCard card_;
};

}  // namespace
}  // namespace alula::cuda::emulated

extern "C" const char* alula_plugin(alula::plugin::BuildId) {
  alula::add_backend(std::make_unique<alula::cuda::emulated::EmulatedBackend>());
  return nullptr;
}
