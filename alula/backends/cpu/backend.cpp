#include <cstring>
#include <mutex>
#include <unistd.h>

#include "alula/core/memory.h"
#include "alula/runtime/denormals.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/spans.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// A list of calls with kernels and operands bound. Only what lies in slots whose addresses have
/// changed since the last run is bound anew.
class FlatList final : public Executable {
 public:
  explicit FlatList(std::vector<Step> steps) : steps_(std::move(steps)) {
    size_t count = 0;
    for (const Step& step : steps_) count += step.inputs.size() + step.outputs.size();
    bound_.views.reserve(count);  // calls point into it
    for (const Step& step : steps_) {
      const Kernel kernel = step.op->type().kernel(DeviceType::kCPU);
      require<UnimplementedError>(kernel != nullptr, "{}: there is no kernel for it on /CPU:0.",
                                  step.op->name());
      const size_t first = bound_.views.size();
      for (const Operand& operand : step.inputs) add(operand);
      for (const Operand& operand : step.outputs) add(operand);
      calls_.push_back({kernel, step.op.get(), first, step.inputs.size(), step.outputs.size()});
    }
    bound_.slots.assign(operands_.size(), nullptr);
  }

  void run(std::span<void* const> slots) override {
    if (calls_.empty()) return;
    const FlushDenormals flush;
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock.owns_lock()) {
      run(slots, bound_);
      return;
    }
    Bound own = bound_slots_unknown();
    run(slots, own);
  }

 private:
  /// One kernel call; its operands are views [first, first + inputs + outputs).
  struct Call {
    Kernel kernel;
    const Op* op;
    size_t first, inputs, outputs;
  };
  struct Bound {
    std::vector<View> views;
    std::vector<void*> slots;  // the addresses that they were bound to
  };

  void add(const Operand& operand) {
    const auto slot = static_cast<size_t>(operand.slot);
    if (operands_.size() <= slot) operands_.resize(slot + 1);
    operands_[slot].emplace_back(bound_.views.size(), operand.offset);
    bound_.views.push_back({&operand.spec, nullptr});
  }

  /// For a run beside another one.
  Bound bound_slots_unknown() const {
    Bound own;
    for (const Step& step : steps_) {
      for (const Operand& operand : step.inputs) own.views.push_back({&operand.spec, nullptr});
      for (const Operand& operand : step.outputs) own.views.push_back({&operand.spec, nullptr});
    }
    own.slots.assign(operands_.size(), nullptr);
    return own;
  }

  void run(std::span<void* const> slots, Bound& bound) const {
    for (size_t slot = 0; slot < operands_.size(); ++slot) {
      if (bound.slots[slot] == slots[slot]) continue;
      bound.slots[slot] = slots[slot];
      for (const auto& [view, offset] : operands_[slot])
        bound.views[view].data = static_cast<std::byte*>(slots[slot]) + offset;
    }
    const std::span<const View> views = bound.views;
    if (spans::active()) [[unlikely]]
      return run_measured(views);
    for (const Call& call : calls_)
      call.kernel(*call.op, {.inputs = views.subspan(call.first, call.inputs),
                             .outputs = views.subspan(call.first + call.inputs, call.outputs)});
  }

  /// One look at the clock between two calls serves both.
  void run_measured(std::span<const View> views) const {
    int64_t start = spans::now();
    for (const Call& call : calls_) {
      const auto inputs = views.subspan(call.first, call.inputs);
      const auto outputs = views.subspan(call.first + call.inputs, call.outputs);
      call.kernel(*call.op, {.inputs = inputs, .outputs = outputs});
      const int64_t end = spans::now();
      spans::report(*call.op, {.device = kCPU, .start = start, .end = end}, inputs, outputs);
      start = end;
    }
  }

  std::vector<Step> steps_;
  std::vector<Call> calls_;
  std::vector<std::vector<std::pair<size_t, size_t>>> operands_;  // by slot: view and offset
  std::mutex mutex_;  // held by the run that uses bound_
  Bound bound_;
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
