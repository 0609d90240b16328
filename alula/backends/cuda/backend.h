#pragma once
#include <deque>
#include <mutex>

#include "alula/backends/cuda/gpu.h"

namespace alula::cuda {

/// A GPU behind the contract of runtime/backend.h. The card is not touched before its first use.
class CudaBackend final : public Backend {
 public:
  CudaBackend(Device device, GpuInfo info) : device_(device), info_(std::move(info)) {}

  Device device() const override { return device_; }
  std::string description() const override;
  MemoryInfo memory() const override;
  void* allocate(size_t bytes) override { return gpu().memory().allocate(bytes); }
  void release(void* block, size_t bytes) noexcept override {
    gpu_->memory().release(block, bytes);
  }

  bool supports(const Op& op, SpecRefs inputs) const override;
  void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) override;
  std::unique_ptr<Executable> prepare(std::vector<Step> steps) override;

  void copy_from_host(void* to, const void* from, size_t bytes) override;
  void copy_to_host(void* to, const void* from, size_t bytes) override;
  void copy(void* to, const void* from, size_t bytes) override;

  Ticket record() override;
  void wait(Ticket ticket) override;
  bool done(Ticket ticket) override;

 private:
  /// The card, current in this thread.
  Gpu& gpu();
  /// The event that stands for a ticket or for a later one; none if its work is known to be done.
  cudaEvent_t event_of(Ticket ticket);
  void drop_until(Ticket ticket);

  struct Recorded {
    Ticket ticket;
    cudaEvent_t event;
  };

  Device device_;
  GpuInfo info_;
  std::once_flag once_;
  Gpu* gpu_ = nullptr;

  std::mutex tickets_mutex_;
  Ticket last_ticket_ = 0, known_done_ = 0;
  std::deque<Recorded> recorded_;  // by ticket, ascending
  std::vector<cudaEvent_t> spare_events_;
};

}  // namespace alula::cuda
