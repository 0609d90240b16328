#pragma once
#include <atomic>
#include <cstdint>

namespace alula::data {

/// The memory of a pipeline's buffers. It limits what AUTOTUNE chooses; what a user asks for by
/// number is counted, but never refused.
class Budget {
 public:
  explicit Budget(int64_t limit) : limit_(limit) {}
  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  void take(int64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void give(int64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// Whether so many more bytes would be within the limit.
  bool has_room_for(int64_t bytes) const { return used() + bytes <= limit_; }

  /// An eighth of the machine's memory.
  static int64_t default_limit();

 private:
  int64_t limit_;
  std::atomic<int64_t> used_ = 0;
};

/// Bytes that the system could give this process now.
int64_t available_memory();

}  // namespace alula::data
