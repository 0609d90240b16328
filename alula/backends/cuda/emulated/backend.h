#pragma once
#include <map>
#include <mutex>

#include "alula/backends/cuda/emulated/card.h"
#include "alula/runtime/backend.h"

namespace alula::cuda::emulated {

/// The host's memory as a card's: counted, limited, and known by its card.
class CountedMemory {
 public:
  void* allocate(Device device, size_t bytes);
  void release(void* block, size_t bytes) noexcept;
  MemoryInfo info() const;
  void reset_peak();
  void set_limit(Device device, int64_t bytes);
  /// Whether all of these bytes lie in one block of this memory.
  bool owns(const void* start, size_t bytes) const;

 private:
  static constexpr int64_t kTotal = int64_t{1} << 32;

  mutable std::mutex mutex_;
  std::map<const std::byte*, size_t> blocks_;
  int64_t in_use_ = 0, peak_ = 0, limit_ = kTotal;
};

/// The host, behind the contract of runtime/backend.h, as one of the GPUs that it emulates.
///
/// What it is given must be its own, as on a GPU: an operand of another device is an InternalError.
/// ALULA_EMULATED_FAULT names an op whose kernel "fails": whoever waits next hears of it, once.
class EmulatedBackend final : public Backend {
 public:
  explicit EmulatedBackend(int index) : device_(DeviceType::kGPU, index) {}

  Device device() const override { return device_; }
  std::string description() const override { return "the host, emulating a GPU"; }
  MemoryInfo memory() const override { return memory_.info(); }
  void reset_peak() override { memory_.reset_peak(); }
  void limit_memory(int64_t bytes) override { memory_.set_limit(device_, bytes); }
  void* allocate(size_t bytes) override { return memory_.allocate(device_, bytes); }
  void release(void* block, size_t bytes) noexcept override { memory_.release(block, bytes); }

  bool supports(const Op& op, SpecRefs inputs) const override;
  void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) override;
  std::unique_ptr<Executable> prepare(std::vector<Step> steps) override;

  void copy_from_host(void* to, const void* from, size_t bytes) override;
  void copy_to_host(void* to, const void* from, size_t bytes) override;
  void copy(void* to, const void* from, size_t bytes) override;
  /// Unless ALULA_EMULATED_NO_PEERS is set.
  bool copy_from_peer(void* to, Backend& owner, const void* from, size_t bytes) override;

  Ticket record() override { return 1; }
  void wait(Ticket) override { report_fault(); }
  bool done(Ticket) override { return true; }

  EmulatedCard& card() { return card_; }
  /// Remembers that this op has run: the card may have a fault now.
  void ran(const Op& op);
  /// Throws what a GPU says of a fault, if there was one.
  void report_fault();
  void check_owns(const void* start, size_t bytes) const;

 private:
  Device device_;
  EmulatedCard card_;
  CountedMemory memory_;
  std::atomic<bool> faulty_ = false;
};

/// Plain elementwise ops are run by the CPU's kernel, unless ALULA_EMULATED_ELEMENTWISE is set:
/// each would be a kernel to compile, and codegen_test compares them all.
bool is_left_to_cpu(const Op& op);

}  // namespace alula::cuda::emulated
