#include <cstring>
#include <unistd.h>

#include "alula/core/memory.h"
#include "alula/runtime/denormals.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// A list of calls with everything but the addresses settled.
class FlatList final : public Executable {
 public:
  explicit FlatList(std::vector<Step> steps) : steps_(std::move(steps)) {
    for (const Step& step : steps_)
      require<UnimplementedError>(step.op->type().kernel(DeviceType::kCPU) != nullptr,
                                  "{}: there is no kernel for it on /CPU:0.", step.op->name());
  }

  void run(std::span<void* const> slots) override {
    const FlushDenormals flush;
    for (const Step& step : steps_) {
      const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
      step.op->type().kernel(DeviceType::kCPU)(*step.op, {.inputs = inputs, .outputs = outputs});
    }
  }

 private:
  using Views = InlineVector<View, 4>;

  static Views bind(const std::vector<Operand>& operands, std::span<void* const> slots) {
    Views views;
    for (const Operand& operand : operands)
      views.push_back(
          {&operand.spec, static_cast<std::byte*>(slots[operand.slot]) + operand.offset});
    return views;
  }

  std::vector<Step> steps_;
};

/// The host itself: its queue is always empty, since every call returns when it is done.
class CpuBackend final : public Backend {
 public:
  Device device() const override { return kCPU; }
  void* allocate(size_t bytes) override { return memory::allocate(bytes); }
  void release(void* block, size_t bytes) noexcept override { memory::release(block, bytes); }

  std::string description() const override { return fmt::format("CPU, {} threads", team::size()); }
  MemoryInfo memory() const override {
    const memory::Statistics now = memory::statistics();
    return {.in_use = now.in_use,
            .cached = now.cached,
            .total = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE)};
  }

  bool supports(const Op& op, SpecRefs) const override {
    return op.type().kernel(DeviceType::kCPU) != nullptr;
  }
  void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) override {
    const FlushDenormals flush;
    op.type().kernel(DeviceType::kCPU)(op, {.inputs = inputs, .outputs = outputs});
  }
  std::unique_ptr<Executable> prepare(std::vector<Step> steps) override {
    return std::make_unique<FlatList>(std::move(steps));
  }

  void copy_from_host(void* to, const void* from, size_t bytes) override { copy(to, from, bytes); }
  void copy_to_host(void* to, const void* from, size_t bytes) override { copy(to, from, bytes); }
  void copy(void* to, const void* from, size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  Ticket record() override { return 0; }
  void wait(Ticket) override {}
  bool done(Ticket) override { return true; }
};

const bool registered = [] {
  add_backend(std::make_unique<CpuBackend>());
  return true;
}();

}  // namespace
}  // namespace alula::cpu
