#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "alula/runtime/backend.h"

namespace alula::cuda {

/// A GPU's memory, cached. What is released is kept for the next request of about that size; since
/// all work goes through one stream, it can be given out again at once. Memory is taken from the
/// card as it is needed, and never the last of it.
class DeviceMemory {
 public:
  /// `total` is what the card has.
  explicit DeviceMemory(size_t total);

  /// Throws ResourceExhaustedError, after giving the cache back, when there is no more.
  void* allocate(size_t bytes);
  void release(void* block, size_t bytes) noexcept;
  MemoryInfo info() const;

 private:
  void* take(size_t bytes);
  void* carve(size_t bytes);
  void* from_card(size_t bytes);
  void give_back_cache();
  std::string largest() const;

  mutable std::mutex mutex_;
  std::map<size_t, std::vector<void*>> free_;  // by rounded size
  std::byte* slab_ = nullptr;                  // small blocks are cut from slabs
  size_t slab_left_ = 0;
  size_t total_ = 0, limit_ = 0;
  size_t taken_ = 0;               // from the card
  size_t in_use_ = 0;              // handed out
  std::map<void*, size_t> large_;  // blocks that are handed out, for whoever runs out of memory
};

/// The size that a request is rounded up to: four steps a doubling, and a multiple of 256 bytes.
size_t rounded_size(size_t bytes);

}  // namespace alula::cuda
