#pragma once
#include <cstddef>
#include <mutex>

/// Copies between the host's ordinary memory and the GPU, through pinned memory.
///
/// A large copy is cut into chunks. Several threads move a chunk between ordinary and pinned
/// memory, while the copy engine moves the chunks before it (to the GPU) or after it (from there).
namespace alula::cuda {

/// A queue of copies that pinned memory takes part in. Calls may come from any thread.
class CopyQueue {
 public:
  virtual ~CopyQueue() = default;
  /// Pinned memory, for as long as the process lives.
  virtual std::byte* pinned(size_t bytes) = 0;
  virtual void put(void* to, const void* from, size_t bytes) = 0;
  /// Sets a mark behind all that was put.
  virtual void mark(int which) = 0;
  /// Returns when all before the mark is done; at once if it was never set.
  virtual void wait(int which) = 0;
  virtual bool done(int which) = 0;

  static constexpr int kMarks = 24;
};

/// How a copy of up to kRound bytes is shared out.
struct CopyPlan {
  static constexpr size_t kRound = 4 << 20;  // what is planned, filled and waited for at a time
  static constexpr size_t kPiece = 64 << 10;
  static constexpr int kMostChunks = 8;

  size_t chunk;  // what the copy engine gets at a time, a multiple of kPiece
  int chunks;
  size_t share;  // of a chunk, for each worker
  int workers;   // threads
};
/// `bytes` is more than 0 and at most kRound.
CopyPlan plan_copy(size_t bytes, int threads);

/// Large copies to the GPU.
class Uploads {
 public:
  explicit Uploads(CopyQueue& queue) : queue_(queue) {}
  /// Returns when `from` has been read and the copies are on the queue.
  void copy(void* to, const void* from, size_t bytes);

 private:
  static constexpr int kParts = 3;  // one is filled while others wait for the copy engine

  CopyQueue& queue_;
  std::mutex mutex_;
  std::byte* memory_ = nullptr;
  int part_ = 0;
};

/// Large copies from the GPU.
class Downloads {
 public:
  explicit Downloads(CopyQueue& queue) : queue_(queue) {}
  /// Returns when `to` is filled.
  void copy(void* to, const void* from, size_t bytes);

 private:
  static constexpr int kParts = 2;

  struct Round;
  void request(const Round& round);
  void collect(const Round& round);

  CopyQueue& queue_;
  std::mutex mutex_;
  std::byte* memory_ = nullptr;
};

/// Copies of which each is less work than sharing it out. Many follow one another in one piece of
/// pinned memory, so that they rarely wait for its last use.
class SmallCopies {
 public:
  static constexpr size_t kMost = 64 << 10;  // bytes

  explicit SmallCopies(CopyQueue& queue) : queue_(queue) {}
  /// Returns when `from` has been read and the copy is on the queue.
  void to_device(void* to, const void* from, size_t bytes);
  /// Returns when `to` is filled.
  void to_host(void* to, const void* from, size_t bytes);

 private:
  static constexpr int kPieces = 4;
  static constexpr size_t kPiece = 4 * kMost;

  CopyQueue& queue_;
  std::mutex upload_mutex_, download_mutex_;
  std::byte *uploads_ = nullptr, *download_ = nullptr;
  int piece_ = 0;  // that is being filled, and how far
  size_t filled_ = 0;
};

}  // namespace alula::cuda
