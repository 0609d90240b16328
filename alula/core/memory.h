#pragma once
#include <cstddef>
#include <cstdint>

/// Host memory, cached: what is released is kept for the next request of about that size.
///
/// Blocks up to 64 KiB are kept by the thread that releases them, so that neither an allocation nor
/// a release takes a lock; larger ones are shared by all threads through atomic slots. Sizes are
/// rounded up to one of four steps a doubling.
namespace alula::memory {

inline constexpr size_t kAlignment = 64;

/// `bytes` bytes, aligned to a cache line. Throws ResourceExhaustedError.
void* allocate(size_t bytes);

/// Takes back what `allocate(bytes)` returned; on any thread.
void release(void* block, size_t bytes) noexcept;

/// Gives cached large blocks, and this thread's small ones, back to the system.
void trim() noexcept;

struct Statistics {
  int64_t in_use = 0;    // bytes handed out in large blocks
  int64_t cached = 0;    // bytes of large blocks kept for reuse
  int64_t overruns = 0;  // blocks whose guard bytes were overwritten
};
Statistics statistics();

/// Whether released blocks are kept for reuse. Not under the address and thread sanitizers, which
/// must see the bounds and the end of each block.
bool caching();

/// Whether blocks carry guard bytes behind them, which `release` checks: when the environment has
/// ALULA_GUARD_BYTES. The tests run that way.
bool guarded();

}  // namespace alula::memory
