#pragma once
#include <array>
#include <cuda_runtime_api.h>
#include <deque>
#include <vector>

#include "alula/backends/cuda/allocator.h"
#include "alula/backends/cuda/fences.h"
#include "alula/backends/cuda/pinned.h"
#include "alula/backends/cuda/staging.h"
#include "alula/core/tensor.h"

namespace alula::cuda {

/// A stream, as a queue of copies.
class StreamQueue final : public CopyQueue {
 public:
  StreamQueue(int ordinal, cudaStream_t stream);
  std::byte* pinned(size_t bytes) override;
  void put(void* to, const void* from, size_t bytes) override;
  void mark(int which) override;
  void wait(int which) override;
  bool done(int which) override;
  cudaStream_t stream() const { return stream_; }

 private:
  int ordinal_;
  cudaStream_t stream_;
  std::array<cudaEvent_t, kMarks> events_{};
};

/// Copies between the host and a card.
///
/// Kernels run on one stream, the main one. Small copies are put there too, where they cost one
/// call. Large ones have streams of their own, one each way, since the card has copy engines beside
/// its multiprocessors; events keep them in order with the main stream:
/// - Memory is given out in the order of the main stream: what a copy gets may still be in use by
///   kernels on that stream, and a copy may write what earlier kernels read. So an upload waits for
///   what is on the main stream now, unless its block is new or was released before a point that
///   the stream is known to have passed: then it runs beside the kernels. What comes on the main
///   stream later waits for the upload.
/// - A download waits for what is on the main stream now. What comes later need not wait for the
///   download: its source is a tensor that somebody holds, and those are never written.
/// Pinned memory of ours is copied directly, the rest by way of a few pinned buffers.
class Copies {
 public:
  /// The card is current.
  Copies(int ordinal, cudaStream_t main, DeviceMemory& memory);

  /// A block for `upload`.
  void* allocate(size_t bytes);
  void release(void* block, size_t bytes) noexcept;

  /// Returns when `from` may be changed.
  void to_device(void* to, const void* from, size_t bytes);
  /// The same for a tensor, which is never changed: it may be read later, and is held until then.
  /// A block of `allocate`'s that nothing has used is filled beside the kernels.
  void upload(void* to, const Tensor& from);
  /// Returns when `to` is filled.
  void to_host(void* to, const void* from, size_t bytes);

 private:
  /// What comes on `later` from now on waits for all that is on `earlier`.
  void order(cudaStream_t earlier, cudaStream_t later, cudaEvent_t event);
  /// Whether the main stream may be using a block.
  bool may_be_in_use(void* block);
  void hold(const Tensor& tensor);
  /// Lets go of the tensors that have been read.
  void let_go();

  struct Held {
    cudaEvent_t read;  // when it has been
    Tensor tensor;
  };

  DeviceMemory& memory_;
  StreamQueue main_, up_, down_;
  Fences fences_;
  SmallCopies small_;
  Uploads uploads_;
  Downloads downloads_;
  std::mutex upload_mutex_, download_mutex_;
  cudaEvent_t upload_event_ = nullptr, download_event_ = nullptr;
  std::mutex unused_mutex_;
  std::map<void*, uint64_t> unused_;  // blocks of `allocate`'s, and when they were released last
  std::deque<Held> held_;
  std::vector<cudaEvent_t> spare_events_;
};

/// The host's pinned memory, made for the first card in use.
PinnedMemory& pinned_memory();

}  // namespace alula::cuda
