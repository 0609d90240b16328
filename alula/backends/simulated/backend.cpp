#include "alula/backends/simulated/backend.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "alula/core/memory.h"

namespace alula::simulated {
namespace {

// With guard bytes, a block is also filled when it is handed out, with what is NaN in every
// floating type, so that a kernel that reads what nobody wrote is found out.
constexpr size_t kGuard = 64;
constexpr int kGuardByte = 0xA5;
constexpr int kFillByte = 0xFF;

size_t with_guard(size_t bytes) { return memory::guarded() ? bytes + kGuard : bytes; }

void check_guard(const std::byte* block, size_t bytes) {
  const std::byte* guard = block + bytes;
  const bool whole =
      std::all_of(guard, guard + kGuard, [](std::byte b) { return b == std::byte{kGuardByte}; });
  require<InternalError>(whole, "simulated: a kernel wrote past the end of a block of {} bytes.",
                         bytes);
}

/// Returns after that time, to the microsecond: sleeping alone is good to about 60.
void pass(std::chrono::nanoseconds time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kImprecision(200);
  const Clock::time_point end = Clock::now() + time;
  if (time > kImprecision) std::this_thread::sleep_for(time - kImprecision);
  while (Clock::now() < end) std::this_thread::yield();
}

void pass_us(int64_t microseconds) {
  if (microseconds > 0) pass(std::chrono::microseconds(microseconds));
}

using Views = InlineVector<View, 4>;

Views bind(const std::vector<Operand>& operands, void* const*& address) {
  Views views;
  for (const Operand& operand : operands) views.push_back({&operand.spec, *address++});
  return views;
}

void compute(const std::vector<Step>& steps, const std::vector<void*>& addresses) {
  void* const* next = addresses.data();
  for (const Step& step : steps) {
    const Views inputs = bind(step.inputs, next);
    const Views outputs = bind(step.outputs, next);
    step.op->type().kernel(DeviceType::kCPU)(*step.op, {.inputs = inputs, .outputs = outputs});
  }
}

}  // namespace

/// A list of calls that goes on the queue as one piece of work.
class SimulatedBackend::List final : public Executable {
 public:
  List(SimulatedBackend& backend, std::vector<Step> steps)
      : backend_(backend), steps_(std::make_shared<const std::vector<Step>>(std::move(steps))) {
    for (const Step& step : *steps_)
      require<UnimplementedError>(step.op->type().kernel(DeviceType::kCPU) != nullptr,
                                  "{}: there is no kernel for it on {}.", step.op->name(),
                                  backend.device());
  }

  void run(std::span<void* const> slots) override {
    std::vector<void*> addresses;
    const auto add = [&](const std::vector<Operand>& operands) {
      for (const Operand& operand : operands) {
        const auto* slot = static_cast<const std::byte*>(slots[operand.slot]);
        addresses.push_back(
            backend_.arena_.host(slot + operand.offset, static_cast<size_t>(operand.spec.bytes())));
      }
    };
    for (const Step& step : *steps_) {
      add(step.inputs);
      add(step.outputs);
    }
    backend_.launch(steps_, std::move(addresses));
  }

 private:
  SimulatedBackend& backend_;
  Steps steps_;  // shared with the queue: the list may go before it has run
};

SimulatedBackend::SimulatedBackend(Device device, const Options& options)
    : device_(device), options_(options), arena_(static_cast<size_t>(options.memory_limit)) {}

std::string SimulatedBackend::description() const {
  return fmt::format("Simulated device, {} MiB", arena_.size() >> 20);
}

MemoryInfo SimulatedBackend::memory() const {
  return {.in_use = static_cast<int64_t>(arena_.in_use()),
          .total = static_cast<int64_t>(arena_.size())};
}

void* SimulatedBackend::allocate(size_t bytes) {
  void* block = bytes <= arena_.size() ? arena_.allocate(with_guard(bytes)) : nullptr;
  if (block == nullptr)
    fail<ResourceExhaustedError>(
        "simulated: {} has no block of {} bytes left: {} of {} bytes are in use. Release tensors, "
        "or "
        "use smaller ones.",
        device_, bytes, arena_.in_use(), arena_.size());
  // On the queue, because work of whoever had the memory before may still be there.
  if (memory::guarded())
    queue_.put([at = arena_.host(block, bytes), bytes] {
      std::memset(at, kFillByte, bytes);
      std::memset(at + bytes, kGuardByte, kGuard);
    });
  return block;
}

void SimulatedBackend::release(void* block, size_t bytes) noexcept {
  // A forked child drops what its parent had there: it has no queue to check it.
  if (memory::guarded() && queue_.is_of_this_process())
    queue_.put([at = arena_.host(block, bytes), bytes] { check_guard(at, bytes); });
  arena_.release(block, with_guard(bytes));
}

bool SimulatedBackend::supports(const Op& op, SpecRefs inputs) const {
  if (op.type().kernel(DeviceType::kCPU) == nullptr) return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].dtype == string) return false;
  const Specs outputs = op.infer(inputs);
  return std::none_of(outputs.begin(), outputs.end(),
                      [](const Spec& output) { return output.dtype == string; });
}

void SimulatedBackend::run(const Op& op, std::span<const View> inputs,
                           std::span<const View> outputs) {
  std::vector<void*> addresses;
  const auto take = [&](std::span<const View> views) {
    std::vector<Operand> operands;
    for (const View& view : views) {
      operands.push_back({.spec = *view.spec});
      addresses.push_back(arena_.host(view.data, static_cast<size_t>(view.bytes())));
    }
    return operands;
  };
  Step step{.op = op.clone()};
  step.inputs = take(inputs);
  step.outputs = take(outputs);
  launch(std::make_shared<const std::vector<Step>>(1, std::move(step)), std::move(addresses));
}

std::unique_ptr<Executable> SimulatedBackend::prepare(std::vector<Step> steps) {
  return std::make_unique<List>(*this, std::move(steps));
}

void SimulatedBackend::launch(Steps steps, std::vector<void*> addresses) {
  ++launches_;
  queue_.put([this, steps = std::move(steps), addresses = std::move(addresses)] {
    pass_us(options_.launch_latency_us);
    compute(*steps, addresses);
  });
}

void SimulatedBackend::cross(size_t bytes) const {
  pass_us(options_.copy_latency_us);
  if (options_.bytes_per_second > 0)
    pass(std::chrono::nanoseconds(static_cast<int64_t>(
        1e9 * static_cast<double>(bytes) / static_cast<double>(options_.bytes_per_second))));
}

void SimulatedBackend::copy_from_host(void* to, const void* from, size_t bytes) {
  ++copies_from_host_;
  bytes_from_host_ += static_cast<int64_t>(bytes);
  // A copy of its own, because the caller may change his before the queue gets there.
  std::shared_ptr<std::byte[]> staged = std::make_shared_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(staged.get(), from, bytes);
  queue_.put([this, staged = std::move(staged), at = arena_.host(to, bytes), bytes] {
    cross(bytes);
    std::memcpy(at, staged.get(), bytes);
  });
}

void SimulatedBackend::copy_to_host(void* to, const void* from, size_t bytes) {
  ++copies_to_host_;
  bytes_to_host_ += static_cast<int64_t>(bytes);
  const Ticket copied = queue_.put([this, to, at = arena_.host(from, bytes), bytes] {
    cross(bytes);
    if (bytes > 0) std::memcpy(to, at, bytes);
  });
  queue_.wait(copied);
}

void SimulatedBackend::copy(void* to, const void* from, size_t bytes) {
  ++copies_within_;
  queue_.put([this, to = arena_.host(to, bytes), from = arena_.host(from, bytes), bytes] {
    pass_us(options_.launch_latency_us);
    std::memmove(to, from, bytes);
  });
}

Statistics SimulatedBackend::statistics() const {
  return {.launches = launches_,
          .copies_from_host = copies_from_host_,
          .copies_to_host = copies_to_host_,
          .copies_within = copies_within_,
          .bytes_from_host = bytes_from_host_,
          .bytes_to_host = bytes_to_host_};
}

}  // namespace alula::simulated
