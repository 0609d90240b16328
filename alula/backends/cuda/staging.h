#pragma once
#include <array>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <mutex>

/// Copies between the host's ordinary memory and the GPU, through pinned memory that the copy
/// engine can read while the host goes on.
namespace alula::cuda {

/// Pinned memory in a few pieces, each with an event that says when the GPU is through with it.
template <int kCount>
class PinnedRing {
 public:
  static constexpr size_t kBytes = 4 << 20;  // of a piece

  /// The piece, allocated with the others the first time.
  std::byte* piece(int i);
  void record(int i, cudaStream_t stream);
  void wait(int i);

 private:
  std::byte* memory_ = nullptr;
  std::array<cudaEvent_t, kCount> events_{};
};

class Staging {
 public:
  explicit Staging(cudaStream_t stream) : stream_(stream) {}

  /// Returns when `from` has been read; the copy itself is on the stream.
  void to_device(void* to, const void* from, size_t bytes);
  /// Returns when `to` is filled.
  void to_host(void* to, const void* from, size_t bytes);

 private:
  static constexpr int kUploads = 4, kDownloads = 2;

  cudaStream_t stream_;
  std::mutex upload_mutex_, download_mutex_;
  PinnedRing<kUploads> uploads_;
  PinnedRing<kDownloads> downloads_;
  int current_ = 0;  // the upload piece that is being filled, and how far
  size_t filled_ = 0;
};

}  // namespace alula::cuda
