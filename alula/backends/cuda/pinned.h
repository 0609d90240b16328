#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "alula/core/memory_source.h"

namespace alula::cuda {

/// Host memory whose pages stay in place ("pinned"), so that the copy engine reads and writes it
/// without the host's help. The host's large tensors live in it once a GPU is in use.
///
/// Pinning takes milliseconds, so it is done in slabs, by a thread of its own: a request that finds
/// no room goes to the system, and the next one of its size finds a new slab. All slabs lie in one
/// range of addresses that is reserved at the start, so that asking whether a pointer is pinned
/// takes two comparisons. Nothing is ever unpinned: the driver may be gone before the last tensor.
class PinnedMemory final : public memory::Source {
 public:
  /// Pins pages that are there to be used; returns whether that worked.
  using Pin = std::function<bool(void* start, size_t bytes)>;

  struct Options {
    size_t limit = 0;  // at most so much; 0: a quarter of the host's memory, and 4 GiB
    size_t slab = size_t{64} << 20;
  };
  PinnedMemory(Pin pin, Options options);

  void* take(size_t bytes) noexcept override;
  void give_back(void* block, size_t bytes) noexcept override;
  bool owns(const void* block) const noexcept override {
    return reinterpret_cast<uintptr_t>(block) - reinterpret_cast<uintptr_t>(base_) < limit_;
  }
  bool replaces(size_t bytes) noexcept override;

  size_t pinned() const;  // bytes in slabs
  size_t in_use() const;  // bytes handed out
  /// Returns when no slab is being made.
  void settle();
  /// Makes no slab any more, and returns when none is being made: before the driver goes.
  void stop();

 private:
  static constexpr size_t kAlignment = 64;
  static constexpr size_t kPage = size_t{2} << 20;  // a huge one

  static size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  bool has_room(size_t bytes) const;
  void* cut(size_t bytes);
  void ask_for(size_t bytes);
  void make_slabs();

  Pin pin_;
  size_t limit_ = 0, slab_ = 0;
  std::byte* base_ = nullptr;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<size_t, size_t> gaps_;  // by offset: how many bytes are free there
  std::set<size_t> starts_;        // of slabs: a copy cannot cross from one into another
  size_t pinned_ = 0, in_use_ = 0;
  size_t wanted_ = 0;     // the largest request that found no room
  bool working_ = false;  // the thread that makes slabs
  bool stopped_ = false;
};

}  // namespace alula::cuda
