#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "alula/backends/cuda/allocator.h"
#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/copies.h"
#include "alula/backends/cuda/error.h"

namespace alula::cuda {

/// What a card is, known without a context.
struct GpuInfo {
  int ordinal = 0;  // CUDA's number of it
  std::string name;
  int architecture = 0;  // 90: compute capability 9.0
  int multiprocessors = 0;
  size_t memory = 0;
  size_t shared_memory = 0;  // the most that a block can have
};
GpuInfo info_of(int ordinal);

class MatMuls;

/// One card in use: its context, its stream and what has been made for it. Made when the card is
/// first used, never destroyed, since tensors may outlive everything.
class Gpu final : public Card {
 public:
  /// Makes the card the thread's current one, with a context.
  explicit Gpu(GpuInfo info, size_t memory_limit = 0);

  const GpuInfo& info() const { return info_; }
  int multiprocessors() const override { return info_.multiprocessors; }
  int architecture() const override { return info_.architecture; }
  size_t most_shared_bytes() const override { return info_.shared_memory; }
  size_t most_argument_bytes() const override;
  unsigned most_together(const Kernel& kernel, unsigned threads,
                         size_t shared_bytes) const override;
  unsigned* meeting_word() override;
  void* take_scratch(size_t bytes) override;
  void release_scratch(void* block, size_t bytes) noexcept override;

  cudaStream_t stream() const { return stream_; }
  /// For captures alone: what other threads put on `stream` must not get into them.
  cudaStream_t capture_stream() const { return capture_stream_; }
  std::mutex& capture_mutex() { return capture_mutex_; }
  DeviceMemory& memory() { return memory_; }
  const DeviceMemory& memory() const { return memory_; }
  Copies& copies() { return copies_; }
  MatMuls& matmuls() { return *matmuls_; }

  /// While a graph is captured, what kernels let go of goes here instead: it is the graph's.
  struct Block {
    void* data;
    size_t bytes;
  };
  using Blocks = std::vector<Block>;
  /// Returns where it went before.
  Blocks* keep_scratch_in(Blocks* blocks);

 private:
  Kernel load(const KernelSource& source) override;
  void put_kernel(const Kernel& kernel, const Grid& grid, void** arguments, void* queue) override;
  void put_clear(void* at, size_t bytes, void* queue) override;
  void put_copy(void* to, const void* from, size_t bytes, void* queue) override;

  GpuInfo info_;
  cudaStream_t stream_ = nullptr, capture_stream_ = nullptr;
  std::mutex capture_mutex_;
  DeviceMemory memory_;
  Copies copies_;
  std::unique_ptr<MatMuls> matmuls_;
  std::once_flag meeting_once_;
  unsigned* meeting_word_ = nullptr;
};

/// The card that is current in this thread: a kernel runs while its backend has made it so.
Gpu& current_gpu();

}  // namespace alula::cuda
