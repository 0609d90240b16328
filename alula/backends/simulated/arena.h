#pragma once
#include <cstddef>
#include <map>
#include <mutex>

namespace alula::simulated {

/// Memory that has two addresses. The one on the device is what users hold, and touching it ends
/// the process; the other is for the device's queue alone.
///
/// Blocks are cut from the first gap that is large enough; gaps that meet become one.
class Arena {
 public:
  static constexpr size_t kAlignment = 64;

  /// `bytes` are rounded up to whole pages.
  explicit Arena(size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A block's address on the device, or none if no gap is large enough. Sizes are rounded up to
  /// whole cache lines.
  void* allocate(size_t bytes);
  void release(void* block, size_t bytes);

  size_t size() const { return size_; }
  size_t in_use() const;

  /// Where the queue finds what lies at an address on the device. The bytes must be the device's:
  /// an InternalError otherwise.
  std::byte* host(const void* address, size_t bytes) const;

 private:
  static size_t rounded(size_t bytes);

  size_t size_;
  std::byte* device_;
  std::byte* host_;
  mutable std::mutex mutex_;
  std::map<size_t, size_t> gaps_;  // by offset: how many bytes are free there
  size_t in_use_ = 0;
};

}  // namespace alula::simulated
