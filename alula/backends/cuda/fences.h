#pragma once
#include <deque>
#include <mutex>

#include "alula/backends/cuda/staging.h"

namespace alula::cuda {

/// How far a stream has come, counted in releases of memory: what was released before a fence was
/// set is in nobody's use once the stream has passed the fence.
class Fences {
 public:
  /// The marks from `first_mark` on, kMost of them, are taken.
  Fences(CopyQueue& queue, int first_mark) : queue_(queue), first_mark_(first_mark) {}

  /// Sets a fence behind all that is on the stream. `releases` is how many there had been before
  /// this call. Where many fences stand already, it is left out.
  void set(uint64_t releases);
  /// The last release that the stream is known to be past.
  uint64_t passed();

  static constexpr int kMost = 4;

 private:
  struct Fence {
    int mark;
    uint64_t releases;
  };
  void look();

  CopyQueue& queue_;
  int first_mark_;
  std::mutex mutex_;
  std::deque<Fence> standing_;
  int next_ = 0;
  uint64_t passed_ = 0;
};

}  // namespace alula::cuda
