#pragma once
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "alula/backends/cuda/allocator.h"
#include "alula/backends/cuda/error.h"
#include "alula/backends/cuda/staging.h"

namespace alula::cuda {

/// What a card is, known without a context.
struct GpuInfo {
  int ordinal = 0;  // CUDA's number of it
  std::string name;
  int architecture = 0;  // 90: compute capability 9.0
  int multiprocessors = 0;
  size_t memory = 0;
};
GpuInfo info_of(int ordinal);

class MatMuls;

/// One card in use: its context, its stream and what has been made for it. Made when the card is
/// first used, never destroyed, since tensors may outlive everything.
class Gpu {
 public:
  /// Makes the card the thread's current one, with a context.
  explicit Gpu(GpuInfo info);

  const GpuInfo& info() const { return info_; }
  cudaStream_t stream() const { return stream_; }
  /// For captures alone: what other threads put on `stream` must not get into them.
  cudaStream_t capture_stream() const { return capture_stream_; }
  std::mutex& capture_mutex() { return capture_mutex_; }
  DeviceMemory& memory() { return memory_; }
  const DeviceMemory& memory() const { return memory_; }
  Staging& staging() { return staging_; }
  MatMuls& matmuls() { return *matmuls_; }

  /// The function `kernel` of a source, compiled and loaded the first time.
  CUfunction kernel(const std::string& source);

 private:
  GpuInfo info_;
  cudaStream_t stream_ = nullptr, capture_stream_ = nullptr;
  std::mutex capture_mutex_;
  DeviceMemory memory_;
  Staging staging_;
  std::unique_ptr<MatMuls> matmuls_;
  std::mutex kernels_mutex_;
  std::unordered_map<std::string, CUfunction> kernels_;
};

/// The card that is current in this thread: a kernel runs while its backend has made it so.
Gpu& current_gpu();

}  // namespace alula::cuda
