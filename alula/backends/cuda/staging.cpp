#include "alula/backends/cuda/staging.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "alula/runtime/team.h"

namespace alula::cuda {
namespace {

constexpr size_t kRound = CopyPlan::kRound, kPiece = CopyPlan::kPiece;

/// Calls `body(worker)` for each. Workers have fixed shares of every chunk, so that a core finds
/// what it wrote the last time, pinned memory above all, in its own cache. (On 16 cores, a product
/// of matrices of 4 MiB there and back took 595 us by workers that took whatever came next, and
/// takes 424 by fixed shares.)
template <class F>
void share_out(int workers, F&& body) {
  // A worker is worth its thread whatever it costs: the number of workers is well chosen.
  team::parallel_for(workers, team::kWorthSharing, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker) body(static_cast<int>(worker));
  });
}

int64_t count(size_t bytes, size_t of) { return static_cast<int64_t>((bytes + of - 1) / of); }

size_t length(size_t start, size_t most, size_t end) { return std::min(most, end - start); }

/// A part of a copy, by where it begins.
struct Part {
  size_t start, bytes;
};

/// The chunk `i` of a copy.
Part chunk_of(const CopyPlan& plan, size_t bytes, int i) {
  const size_t start = static_cast<size_t>(i) * plan.chunk;
  return {start, length(start, plan.chunk, bytes)};
}

/// What a worker does of a chunk; nothing if it is a short one.
Part share_of(const CopyPlan& plan, const Part& chunk, int worker) {
  const size_t start = std::min(static_cast<size_t>(worker) * plan.share, chunk.bytes);
  return {chunk.start + start, length(start, plan.share, chunk.bytes)};
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

CopyPlan plan_copy(size_t bytes, int threads) {
  constexpr size_t kWorthAThread = 2 * kPiece, kPage = 4096;
  const auto pieces = static_cast<size_t>(count(bytes, kPiece));
  const size_t chunk = (pieces + CopyPlan::kMostChunks - 1) / CopyPlan::kMostChunks * kPiece;
  const int64_t wanted =
      std::max<int64_t>(std::min<int64_t>(threads, count(bytes, kWorthAThread)), 1);
  const size_t share = (chunk / static_cast<size_t>(wanted) + kPage - 1) / kPage * kPage;
  return {.chunk = chunk,
          .chunks = static_cast<int>(count(bytes, chunk)),
          .share = share,
          .workers = static_cast<int>(count(chunk, share))};
}

void Uploads::copy(void* to, const void* from, size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (memory_ == nullptr) memory_ = queue_.pinned(kParts * kRound);
  for (size_t done = 0; done < bytes; done += kRound) {
    const size_t here = length(done, kRound, bytes);
    const CopyPlan plan = plan_copy(here, team::size());
    std::byte* pinned = memory_ + static_cast<size_t>(part_) * kRound;
    auto* target = static_cast<std::byte*>(to) + done;
    const auto* source = static_cast<const std::byte*>(from) + done;
    std::array<std::atomic<int>, CopyPlan::kMostChunks> missing;
    for (std::atomic<int>& workers : missing) workers = plan.workers;

    queue_.wait(part_);  // until the copy engine has read what was there
    share_out(plan.workers, [&](int worker) {
      for (int i = 0; i < plan.chunks; ++i) {
        const Part chunk = chunk_of(plan, here, i), share = share_of(plan, chunk, worker);
        std::memcpy(pinned + share.start, source + share.start, share.bytes);
        // Whoever completes a chunk sends it off.
        if (missing[i].fetch_sub(1, std::memory_order_acq_rel) == 1)
          queue_.put(target + chunk.start, pinned + chunk.start, chunk.bytes);
      }
    });
    queue_.mark(part_);
    part_ = (part_ + 1) % kParts;
  }
}

struct Downloads::Round {
  int part;
  std::byte *to, *pinned;
  const std::byte* from;
  size_t bytes;
  CopyPlan plan;

  int mark(int chunk) const { return part * CopyPlan::kMostChunks + chunk; }
};

void Downloads::copy(void* to, const void* from, size_t bytes) {
  static_assert(kParts * CopyPlan::kMostChunks <= CopyQueue::kMarks);
  const std::lock_guard lock(mutex_);
  if (memory_ == nullptr) memory_ = queue_.pinned(kParts * kRound);
  const auto round = [&](size_t start) {
    const int part = static_cast<int>(start / kRound % kParts);
    const size_t here = length(start, kRound, bytes);
    return Round{.part = part,
                 .to = static_cast<std::byte*>(to) + start,
                 .pinned = memory_ + static_cast<size_t>(part) * kRound,
                 .from = static_cast<const std::byte*>(from) + start,
                 .bytes = here,
                 .plan = plan_copy(here, team::size())};
  };
  // While the host empties one part, the copy engine fills the other.
  if (bytes > 0) request(round(0));
  for (size_t start = 0; start < bytes; start += kRound) {
    if (start + kRound < bytes) request(round(start + kRound));
    collect(round(start));
  }
}

void Downloads::request(const Round& round) {
  for (int i = 0; i < round.plan.chunks; ++i) {
    const Part chunk = chunk_of(round.plan, round.bytes, i);
    queue_.put(round.pinned + chunk.start, round.from + chunk.start, chunk.bytes);
    queue_.mark(round.mark(i));
  }
}

void Downloads::collect(const Round& round) {
  constexpr int kSpins = 64;
  std::atomic<int> arrived = 0;
  std::mutex waiting;  // one worker waits for the copy engine, the others for that worker
  const auto wait_for = [&](int chunk) {
    for (int spins = 0; arrived.load(std::memory_order_acquire) <= chunk; ++spins) {
      const std::unique_lock lock(waiting, std::try_to_lock);
      if (!lock) {  // a chunk arrives every few microseconds: too soon to sleep
        spins < kSpins ? pause() : std::this_thread::yield();
        continue;
      }
      const int next = arrived.load(std::memory_order_relaxed);
      if (next > chunk) return;
      queue_.wait(round.mark(next));
      arrived.store(next + 1, std::memory_order_release);
    }
  };
  share_out(round.plan.workers, [&](int worker) {
    for (int i = 0; i < round.plan.chunks; ++i) {
      wait_for(i);
      const Part share = share_of(round.plan, chunk_of(round.plan, round.bytes, i), worker);
      std::memcpy(round.to + share.start, round.pinned + share.start, share.bytes);
    }
  });
}

void SmallCopies::to_device(void* to, const void* from, size_t bytes) {
  constexpr size_t kLine = 64;
  const std::lock_guard lock(upload_mutex_);
  if (uploads_ == nullptr) uploads_ = queue_.pinned(kPieces * kPiece);
  if (kPiece - filled_ < bytes) {
    queue_.mark(piece_);
    piece_ = (piece_ + 1) % kPieces;
    queue_.wait(piece_);  // until its copies of the last round are done
    filled_ = 0;
  }
  std::byte* pinned = uploads_ + static_cast<size_t>(piece_) * kPiece + filled_;
  std::memcpy(pinned, from, bytes);
  queue_.put(to, pinned, bytes);
  filled_ = std::min(kPiece, (filled_ + bytes + kLine - 1) / kLine * kLine);
}

void SmallCopies::to_host(void* to, const void* from, size_t bytes) {
  constexpr int kMark = kPieces;
  const std::lock_guard lock(download_mutex_);
  if (download_ == nullptr) download_ = queue_.pinned(kMost);
  queue_.put(download_, from, bytes);
  queue_.mark(kMark);
  queue_.wait(kMark);
  std::memcpy(to, download_, bytes);
}

}  // namespace alula::cuda
