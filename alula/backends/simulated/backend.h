#pragma once
#include <atomic>
#include <memory>

#include "alula/backends/simulated/arena.h"
#include "alula/backends/simulated/queue.h"
#include "alula/backends/simulated/simulated.h"
#include "alula/runtime/backend.h"

namespace alula::simulated {

class SimulatedBackend final : public Backend {
 public:
  SimulatedBackend(Device device, const Options& options);

  Device device() const override { return device_; }
  std::string description() const override;
  MemoryInfo memory() const override;
  void* allocate(size_t bytes) override;
  void release(void* block, size_t bytes) noexcept override;

  bool supports(const Op& op, SpecRefs inputs) const override;
  void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) override;
  std::unique_ptr<Executable> prepare(std::vector<Step> steps) override;

  void copy_from_host(void* to, const void* from, size_t bytes) override;
  void copy_to_host(void* to, const void* from, size_t bytes) override;
  void copy(void* to, const void* from, size_t bytes) override;

  Ticket record() override { return queue_.record(); }
  void wait(Ticket ticket) override { queue_.wait(ticket); }
  bool done(Ticket ticket) override { return queue_.done(ticket); }

  Statistics statistics() const;

 private:
  class List;
  using Steps = std::shared_ptr<const std::vector<Step>>;

  /// Puts steps on the queue as one piece of work. `addresses` are those of every operand, in
  /// order.
  void launch(Steps steps, std::vector<void*> addresses);
  /// What a copy between host and device takes beside the copying.
  void cross(size_t bytes) const;

  const Device device_;
  const Options options_;
  Arena arena_;
  Queue queue_;  // ends before the memory that its work uses

  std::atomic<int64_t> launches_ = 0;
  std::atomic<int64_t> copies_from_host_ = 0;
  std::atomic<int64_t> copies_to_host_ = 0;
  std::atomic<int64_t> copies_within_ = 0;
  std::atomic<int64_t> bytes_from_host_ = 0;
  std::atomic<int64_t> bytes_to_host_ = 0;
};

}  // namespace alula::simulated
