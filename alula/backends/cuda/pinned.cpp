#include "alula/backends/cuda/pinned.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <sys/mman.h>

namespace alula::cuda {
namespace {

size_t sensible_limit() {
  constexpr size_t kMost = size_t{4} << 30;
  const size_t memory =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(kMost, memory / 4);
}

}  // namespace

PinnedMemory::PinnedMemory(Pin pin, Options options) : pin_(std::move(pin)) {
  const auto pages = [](size_t bytes) { return std::max(bytes / kPage, size_t{1}) * kPage; };
  const size_t limit = pages(options.limit == 0 ? sensible_limit() : options.limit);
  slab_ = std::min(pages(options.slab), limit);
  void* range =
      mmap(nullptr, limit + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return;  // nothing is pinned then
  const auto start = reinterpret_cast<uintptr_t>(range);
  base_ = static_cast<std::byte*>(range) + (kPage - start % kPage) % kPage;
  limit_ = limit;
}

void* PinnedMemory::take(size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  void* block = cut(rounded(bytes));
  if (block == nullptr) ask_for(rounded(bytes));
  return block;
}

/// From the smallest gap that is large enough.
void* PinnedMemory::cut(size_t bytes) {
  auto best = gaps_.end();
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap)
    if (gap->second >= bytes && (best == gaps_.end() || gap->second < best->second)) best = gap;
  if (best == gaps_.end()) return nullptr;
  const auto [offset, free] = *best;
  gaps_.erase(best);
  if (free > bytes) gaps_[offset + bytes] = free - bytes;
  in_use_ += bytes;
  return base_ + offset;
}

void PinnedMemory::give_back(void* block, size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const auto offset = static_cast<size_t>(static_cast<std::byte*>(block) - base_);
  in_use_ -= rounded(bytes);
  auto gap = gaps_.emplace(offset, rounded(bytes)).first;
  const auto joins = [this](auto left, auto right) {
    return left->first + left->second == right->first && !starts_.contains(right->first);
  };
  if (const auto next = std::next(gap); next != gaps_.end() && joins(gap, next)) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap == gaps_.begin()) return;
  if (const auto before = std::prev(gap); joins(before, gap)) {
    before->second += gap->second;
    gaps_.erase(gap);
  }
}

bool PinnedMemory::has_room(size_t bytes) const {
  return std::any_of(gaps_.begin(), gaps_.end(),
                     [bytes](const auto& gap) { return gap.second >= bytes; });
}

bool PinnedMemory::replaces(size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (has_room(rounded(bytes))) return true;
  ask_for(rounded(bytes));
  return working_;
}

size_t PinnedMemory::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

size_t PinnedMemory::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

/// Wakes the thread that makes slabs, if there is space left for one.
void PinnedMemory::ask_for(size_t bytes) {
  if (stopped_ || bytes > limit_ - pinned_) return;
  wanted_ = std::max(wanted_, bytes);
  if (working_) return;
  try {
    std::thread([this] { make_slabs(); }).detach();
    working_ = true;
  } catch (const std::system_error&) {
    stopped_ = true;  // there are no threads left: ordinary memory does
  }
}

void PinnedMemory::make_slabs() {
  std::unique_lock lock(mutex_);
  while (wanted_ > 0 && !stopped_) {
    const size_t bytes =
        std::min(std::max(slab_, (wanted_ + kPage - 1) / kPage * kPage), limit_ - pinned_);
    const size_t start = pinned_;
    lock.unlock();
    // Only this thread changes `pinned_`, so the place stays free meanwhile.
    const bool made = mprotect(base_ + start, bytes, PROT_READ | PROT_WRITE) == 0 &&
                      (madvise(base_ + start, bytes, MADV_HUGEPAGE), pin_(base_ + start, bytes));
    lock.lock();
    if (made) {
      pinned_ += bytes;
      starts_.insert(start);
      gaps_.emplace(start, bytes);
    } else {
      stopped_ = true;  // the system allows no more
    }
    wanted_ = 0;
  }
  working_ = false;
  changed_.notify_all();
}

void PinnedMemory::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !working_; });
}

void PinnedMemory::stop() {
  // A forked child has no such thread: it is not waited for without end.
  constexpr auto kLongest = std::chrono::seconds(5);
  std::unique_lock lock(mutex_);
  stopped_ = true;
  changed_.wait_for(lock, kLongest, [this] { return !working_; });
}

}  // namespace alula::cuda
