#pragma once
#include <atomic>
#include <deque>
#include <mutex>
#include <set>

#include "alula/backends/cuda/gpu.h"

namespace alula::cuda {

/// A GPU behind the contract of runtime/backend.h. The card is not touched before its first use.
class CudaBackend final : public Backend {
 public:
  CudaBackend(Device device, GpuInfo info)
      : device_(device), info_(std::move(info)), uploads_(*this) {}

  Device device() const override { return device_; }
  std::string description() const override;
  MemoryInfo memory() const override;
  void* allocate(size_t bytes) override { return gpu().memory().allocate(bytes); }
  void release(void* block, size_t bytes) noexcept override {
    gpu_.load()->memory().release(block, bytes);
  }

  void reset_peak() override;
  void give_back_cache() override;
  void limit_memory(int64_t bytes) override;

  bool supports(const Op& op, SpecRefs inputs) const override;
  void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) override;
  std::unique_ptr<Executable> prepare(std::vector<Step> steps) override;

  void copy_from_host(void* to, const void* from, size_t bytes) override;
  void upload(void* to, const Tensor& from) override;
  Allocator& for_uploads() override { return uploads_; }
  void copy_to_host(void* to, const void* from, size_t bytes) override;
  bool copy_from_peer(void* to, Backend& owner, const void* from, size_t bytes) override;
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
  void let_access(const CudaBackend& peer);

  struct Recorded {
    Ticket ticket;
    cudaEvent_t event;
  };

  class UploadMemory final : public Allocator {
   public:
    explicit UploadMemory(CudaBackend& backend) : backend_(backend) {}
    Device device() const override { return backend_.device(); }
    void* allocate(size_t bytes) override { return backend_.gpu().copies().allocate(bytes); }
    void release(void* block, size_t bytes) noexcept override {
      backend_.gpu_.load()->copies().release(block, bytes);
    }

   private:
    CudaBackend& backend_;
  };

  Device device_;
  GpuInfo info_;
  UploadMemory uploads_;
  std::atomic<size_t> memory_limit_ = 0;  // for when the card is first used; 0: none
  std::once_flag once_;
  std::atomic<Gpu*> gpu_ = nullptr;  // once it is in use

  std::mutex peers_mutex_;
  std::set<int> peers_;  // cards that it was tried with

  std::mutex tickets_mutex_;
  Ticket last_ticket_ = 0, known_done_ = 0;
  std::deque<Recorded> recorded_;  // by ticket, ascending
  std::vector<cudaEvent_t> spare_events_;
};

}  // namespace alula::cuda
