#include "alula/core/memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <unistd.h>

#include <sys/mman.h>

#include "alula/core/error.h"
#include "alula/core/memory_source.h"

namespace alula::memory {
namespace {

// Under the sanitizers every block comes from malloc, so that they see each one's bounds and end.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

constexpr size_t kSmallest = 64;
constexpr size_t kLargestSmall = 64 << 10;
constexpr size_t kHugePage = 2 << 20;
constexpr size_t kGuard = 64;
constexpr unsigned char kGuardByte = 0xA5;

/// Read from the environment before anything else of the library is set up, and never changed.
struct Guarded {
  bool value = std::getenv("ALULA_GUARD_BYTES") != nullptr;
  operator bool() const { return value; }
};
[[gnu::init_priority(101)]] const Guarded g_guarded;

/// The index of the smallest class that holds `bytes`: 64, 80, 96, 112, 128, 160, …
constexpr int class_of(size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log+1)
  const size_t quarter = size_t{1} << (log - 2);
  const auto step = static_cast<int>((bytes - (size_t{1} << log) + quarter - 1) / quarter);
  return (log - 6) * 4 + step;
}

constexpr size_t class_bytes(int index) {
  const size_t base = kSmallest << (index / 4);
  return base + (base / 4) * (index % 4);
}

static_assert(class_bytes(class_of(64)) == 64 && class_bytes(class_of(65)) == 80);
static_assert(class_bytes(class_of(129)) == 160 && class_bytes(class_of(64 << 10)) == 64 << 10);

constexpr int kSmallClasses = class_of(kLargestSmall) + 1;
constexpr size_t kLargest = size_t{1} << 46;  // what an address can reach
constexpr int kClasses = class_of(kLargest + kGuard) + 1;

std::atomic<Source*> g_source = nullptr;

/// A large block, which the cache gives up.
void give_back(void* block, size_t bytes) noexcept {
  Source* source = g_source.load(std::memory_order_acquire);
  if (source != nullptr && source->owns(block))
    source->give_back(block, bytes);
  else
    std::free(block);
}

void* try_system(size_t bytes, size_t alignment) {
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded < bytes) return nullptr;
  void* block = std::aligned_alloc(alignment, rounded);
  if (block != nullptr && alignment == kHugePage) madvise(block, rounded, MADV_HUGEPAGE);
  return block;
}

void* from_system(size_t bytes) {
  const size_t alignment = bytes >= kHugePage ? kHugePage : kAlignment;
  void* block = try_system(bytes, alignment);
  if (block == nullptr) {
    trim();  // what is kept for later may be what is missing now
    block = try_system(bytes, alignment);
  }
  require<ResourceExhaustedError>(block != nullptr, "memory: the host has no {} bytes left.",
                                  bytes);
  return block;
}

/// One thread's small blocks: a list for each size. It has no destructor, because tensors may
/// outlive it (globals, other threads' last references) and an object may not be used after its
/// destructor; `Closer` ends it instead.
class ThreadCache {
 public:
  void* take(int index) {
    List& list = lists_[index];
    if (list.head == nullptr) return nullptr;
    Block* block = list.head;
    list.head = block->next;
    --list.count;
    return block;
  }

  bool keep(void* memory, int index) {
    List& list = lists_[index];
    if (state_ != State::kOpen && !open()) [[unlikely]]
      return false;
    if (list.count == kMost) return false;
    list.head = new (memory) Block{list.head};
    ++list.count;
    return true;
  }

  void clear() {
    for (int i = 0; i < kSmallClasses; ++i)
      while (void* block = take(i)) std::free(block);
  }

 private:
  static constexpr int kMost = 64;
  enum class State : uint8_t { kNew, kOpen, kClosed };
  struct Block {
    Block* next;
  };
  struct List {
    Block* head = nullptr;
    int count = 0;
  };
  /// Empties the cache when its thread ends. What is released afterwards goes back to the system.
  struct Closer {
    ThreadCache* cache = nullptr;
    ~Closer() {
      cache->state_ = State::kClosed;
      cache->clear();
    }
  };

  [[gnu::noinline]] bool open() {
    if (state_ == State::kClosed) return false;
    static thread_local Closer closer;
    closer.cache = this;
    state_ = State::kOpen;
    return true;
  }

  std::array<List, kSmallClasses> lists_;
  State state_ = State::kNew;
};
static_assert(std::is_trivially_destructible_v<ThreadCache>);

constinit thread_local ThreadCache t_cache;

/// The large blocks that wait for reuse: a few slots a size, each emptied and filled by one
/// exchange.
class SharedCache {
 public:
  void* take(int index) {
    for (std::atomic<void*>& slot : slots_[index]) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (void* block = slot.exchange(nullptr, std::memory_order_acquire)) {
        cached_.fetch_sub(static_cast<int64_t>(class_bytes(index)), std::memory_order_relaxed);
        return block;
      }
    }
    return nullptr;
  }

  bool keep(void* block, int index) {
    const auto bytes = static_cast<int64_t>(class_bytes(index));
    if (cached_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit()) {
      for (std::atomic<void*>& slot : slots_[index]) {
        void* expected = nullptr;
        if (slot.compare_exchange_strong(expected, block, std::memory_order_release)) return true;
      }
    }
    cached_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  void clear() {
    for (int i = 0; i < kClasses; ++i)
      while (void* block = take(i)) give_back(block, class_bytes(i));
  }

  int64_t cached() const { return cached_.load(std::memory_order_relaxed); }

 private:
  static int64_t limit() {
    static const int64_t eighth_of_ram = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE) / 8;
    return eighth_of_ram;
  }

  std::array<std::array<std::atomic<void*>, 8>, kClasses> slots_{};
  std::atomic<int64_t> cached_ = 0;
};

constinit SharedCache g_cache;
std::atomic<int64_t> g_in_use = 0;
std::atomic<int64_t> g_overruns = 0;

/// Blocks of the system's are not kept where better ones will be had.
bool keep_large(void* block, int index) {
  Source* source = g_source.load(std::memory_order_acquire);
  if (source != nullptr && !source->owns(block) && source->replaces(class_bytes(index)))
    return false;
  return g_cache.keep(block, index);
}

void* take_large(int index) {
  if (void* block = g_cache.take(index)) return block;
  if (Source* source = g_source.load(std::memory_order_acquire))
    if (void* block = source->take(class_bytes(index))) return block;
  return from_system(class_bytes(index));
}

void set_guard(void* block, size_t bytes) {
  std::memset(static_cast<char*>(block) + bytes, kGuardByte, kGuard);
}

void check_guard(void* block, size_t bytes) {
  const auto* guard = static_cast<unsigned char*>(block) + bytes;
  if (!std::all_of(guard, guard + kGuard, [](unsigned char c) { return c == kGuardByte; }))
    g_overruns.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void* allocate(size_t bytes) {
  require<ResourceExhaustedError>(bytes <= kLargest, "memory: {} bytes are too many.", bytes);
  const size_t wanted = g_guarded ? bytes + kGuard : bytes;
  const int index = class_of(wanted);
  void* block = nullptr;
  if (wanted <= kLargestSmall) {
    if (kCaching) block = t_cache.take(index);
    if (block == nullptr) block = from_system(kCaching ? class_bytes(index) : wanted);
  } else {
    block = kCaching ? take_large(index) : from_system(wanted);
    g_in_use.fetch_add(static_cast<int64_t>(class_bytes(index)), std::memory_order_relaxed);
  }
  if (g_guarded) [[unlikely]]
    set_guard(block, bytes);
  return block;
}

void release(void* block, size_t bytes) noexcept {
  if (g_guarded) [[unlikely]]
    check_guard(block, bytes);
  const size_t wanted = g_guarded ? bytes + kGuard : bytes;
  const int index = class_of(wanted);
  if (wanted <= kLargestSmall) {
    if (kCaching && t_cache.keep(block, index)) return;
  } else {
    g_in_use.fetch_sub(static_cast<int64_t>(class_bytes(index)), std::memory_order_relaxed);
    if (kCaching && keep_large(block, index)) return;
    if (kCaching) return give_back(block, class_bytes(index));
  }
  std::free(block);
}

void set_source(Source* source) noexcept {
  if (!kCaching) return;
  g_cache.clear();  // while blocks are still known by where they came from
  g_source.store(source, std::memory_order_release);
}

void trim() noexcept {
  t_cache.clear();
  g_cache.clear();
}

namespace {

constinit std::atomic<Copier> g_copier = nullptr;

}  // namespace

void copy(void* to, const void* from, size_t bytes) noexcept {
  constexpr size_t kMuch = 1 << 20;
  const Copier copier = bytes < kMuch ? nullptr : g_copier.load(std::memory_order_relaxed);
  if (copier != nullptr)
    copier(to, from, bytes);
  else if (bytes > 0)
    std::memcpy(to, from, bytes);
}

void set_copier(Copier copier) noexcept { g_copier.store(copier, std::memory_order_relaxed); }

Statistics statistics() {
  return {.in_use = g_in_use.load(), .cached = g_cache.cached(), .overruns = g_overruns.load()};
}

bool caching() { return kCaching; }

bool guarded() { return g_guarded; }

}  // namespace alula::memory
