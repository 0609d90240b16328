#include "alula/backends/cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "alula/backends/cuda/error.h"
#include "alula/runtime/team.h"

namespace alula::cuda {
namespace {

/// One core copies slower than the bus; a few together keep up with it.
void copy_in_parallel(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr int64_t kPiece = 64 << 10;
  constexpr double kNanoseconds = kPiece / 10.0;  // at 10 GB/s
  const auto total = static_cast<int64_t>(bytes);
  team::parallel_for((total + kPiece - 1) / kPiece, kNanoseconds, [=](int64_t begin, int64_t end) {
    const int64_t start = begin * kPiece, stop = std::min(end * kPiece, total);
    std::memcpy(to + start, from + start, stop - start);
  });
}

}  // namespace

template <int kCount>
std::byte* PinnedRing<kCount>::piece(int i) {
  if (memory_ == nullptr) {
    for (cudaEvent_t& event : events_)
      if (event == nullptr)
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, kCount * kBytes, cudaHostAllocDefault), "cudaHostAlloc");
    memory_ = static_cast<std::byte*>(memory);
  }
  return memory_ + i * kBytes;
}

template <int kCount>
void PinnedRing<kCount>::record(int i, cudaStream_t stream) {
  check(cudaEventRecord(events_[i], stream), "cudaEventRecord");
}

template <int kCount>
void PinnedRing<kCount>::wait(int i) {
  check(cudaEventSynchronize(events_[i]), "cudaEventSynchronize");
}

void Staging::to_device(void* to, const void* from, size_t bytes) {
  const std::lock_guard lock(upload_mutex_);
  constexpr size_t kPiece = decltype(uploads_)::kBytes;
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    if (filled_ == kPiece) {
      uploads_.record(current_, stream_);
      current_ = (current_ + 1) % kUploads;
      uploads_.wait(current_);  // until its copies of the last round are done
      filled_ = 0;
    }
    const size_t count = std::min(bytes, kPiece - filled_);
    std::byte* pinned = uploads_.piece(current_) + filled_;
    copy_in_parallel(pinned, source, count);
    check(cudaMemcpyAsync(target, pinned, count, cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync");
    filled_ = std::min(kPiece, (filled_ + count + 63) & ~size_t{63});
    target += count;
    source += count;
    bytes -= count;
  }
}

void Staging::to_host(void* to, const void* from, size_t bytes) {
  const std::lock_guard lock(download_mutex_);
  constexpr size_t kPiece = decltype(downloads_)::kBytes;
  const auto* source = static_cast<const std::byte*>(from);
  const auto request = [&](size_t start) {
    const int piece = static_cast<int>(start / kPiece % kDownloads);
    check(cudaMemcpyAsync(downloads_.piece(piece), source + start, std::min(kPiece, bytes - start),
                          cudaMemcpyDeviceToHost, stream_),
          "cudaMemcpyAsync");
    downloads_.record(piece, stream_);
  };
  // While the host reads one piece, the GPU fills the other.
  request(0);
  for (size_t start = 0; start < bytes; start += kPiece) {
    if (start + kPiece < bytes) request(start + kPiece);
    const int piece = static_cast<int>(start / kPiece % kDownloads);
    downloads_.wait(piece);
    copy_in_parallel(static_cast<std::byte*>(to) + start, downloads_.piece(piece),
                     std::min(kPiece, bytes - start));
  }
}

}  // namespace alula::cuda
