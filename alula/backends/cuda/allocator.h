#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "alula/runtime/backend.h"

namespace alula::cuda {

/// What a card's memory is taken from: the driver or, in tests, the host.
class CardMemory {
 public:
  virtual ~CardMemory() = default;
  /// A block, or none if there is no more.
  virtual void* take(size_t bytes) = 0;
  /// Waits for the work that uses the block.
  virtual void give_back(void* block) = 0;
  /// What other processes and the driver have left.
  virtual size_t free_bytes() const = 0;
};

/// A GPU's memory, cached. What is released is kept for the next request of about that size; since
/// all kernels go through one stream, it can be given out again at once. Memory is taken from the
/// card as it is needed, and never the last of it.
class DeviceMemory {
 public:
  /// `total` is what the card has, `limit` what may be taken of it; 0: all but a reserve.
  DeviceMemory(std::unique_ptr<CardMemory> card, size_t total, size_t limit = 0);

  /// Throws ResourceExhaustedError, after giving the cache back, when there is no more.
  void* allocate(size_t bytes);
  void release(void* block, size_t bytes) noexcept;

  /// A block, and how many releases there had been when it was released last; 0: it is new. The
  /// stream may be using it still, unless it is known to be past that release.
  struct Rested {
    void* block;
    uint64_t released;
  };
  /// Like `allocate`, but prefers blocks that the stream is through with: those up to the release
  /// `passed`, then new ones, as long as few of that size wait for reuse.
  Rested allocate_rested(size_t bytes, uint64_t passed);
  /// How many releases there have been.
  uint64_t releases() const;

  MemoryInfo info() const;
  void reset_peak();
  /// Gives all that is not in use back to the card.
  void give_back_cache();
  /// Throws FailedPreconditionError once memory has been taken.
  void set_limit(size_t bytes);

 private:
  struct Free {
    void* block;
    uint64_t released;
  };

  void* take(size_t bytes);
  void* carve(size_t bytes);
  void* from_card(size_t bytes);
  void* or_after_giving_back(size_t bytes, void* block);
  void hand_out(void* block, size_t bytes);
  void give_back_large();
  void give_back_slabs();
  std::string largest() const;

  std::unique_ptr<CardMemory> card_;
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<Free>> free_;  // by rounded size, those released last at the end
  // Small blocks are cut from slabs: of each, how much has been cut off.
  std::map<std::byte*, size_t> slabs_;
  std::byte* slab_ = nullptr;  // that which is being cut
  size_t total_ = 0, limit_ = 0;
  bool limited_ = false;  // by somebody
  size_t taken_ = 0;      // from the card
  size_t in_use_ = 0;     // handed out
  size_t peak_ = 0;
  uint64_t releases_ = 0;
  std::map<void*, size_t> large_;  // blocks that are handed out, for whoever runs out of memory
};

/// The size that a request is rounded up to: four steps a doubling, and a multiple of 256 bytes.
size_t rounded_size(size_t bytes);

}  // namespace alula::cuda
