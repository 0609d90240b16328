#include "alula/backends/cuda/allocator.h"

#include <algorithm>
#include <bit>
#include <functional>

#include <fmt/ranges.h>

#include "alula/backends/cuda/error.h"

namespace alula::cuda {
namespace {

constexpr size_t kSmallest = 256;               // also the alignment
constexpr size_t kMostSmall = 256 << 10;        // blocks up to this are cut from slabs
constexpr size_t kSlab = 2 << 20;               // what the driver itself deals in
constexpr size_t kReserve = size_t{512} << 20;  // left to the driver, the libraries and others

}  // namespace

size_t rounded_size(size_t bytes) {
  if (bytes <= 4 * kSmallest)
    return std::max(kSmallest, (bytes + kSmallest - 1) & ~(kSmallest - 1));
  const size_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

DeviceMemory::DeviceMemory(size_t total)
    : total_(total), limit_(total - std::min(kReserve, total / 16)) {}

void* DeviceMemory::allocate(size_t bytes) {
  const std::lock_guard lock(mutex_);
  // A size beyond the card is refused before it is rounded, which could overflow.
  void* block = bytes > total_ ? nullptr : take(rounded_size(bytes));
  if (block == nullptr && bytes <= total_) {
    give_back_cache();
    block = take(rounded_size(bytes));
  }
  if (block == nullptr) {
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    fail<ResourceExhaustedError>(
        "GPU: there is no memory for {} bytes more. {} are in use by this process's tensors{}, and "
        "{} of the card's {} are free. Use smaller batches, or release tensors.",
        bytes, in_use_, largest(), free, total_);
  }
  in_use_ += rounded_size(bytes);
  if (bytes > kMostSmall) large_[block] = bytes;
  return block;
}

void DeviceMemory::release(void* block, size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const size_t size = rounded_size(bytes);
  if (bytes > kMostSmall) large_.erase(block);
  free_[size].push_back(block);
  in_use_ -= size;
}

MemoryInfo DeviceMemory::info() const {
  const std::lock_guard lock(mutex_);
  return {.in_use = static_cast<int64_t>(in_use_),
          .cached = static_cast<int64_t>(taken_ - in_use_),
          .total = static_cast<int64_t>(total_)};
}

/// " (the largest: 4294967296, 1048576)"
std::string DeviceMemory::largest() const {
  constexpr size_t kShown = 5;
  std::vector<size_t> sizes;
  for (const auto& [block, bytes] : large_) sizes.push_back(bytes);
  if (sizes.empty()) return "";
  const size_t shown = std::min(sizes.size(), kShown);
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(shown), sizes.end(),
                    std::greater<>());
  sizes.resize(shown);
  return fmt::format(" (the largest: {})", fmt::join(sizes, ", "));
}

/// A block of a rounded size, or none.
void* DeviceMemory::take(size_t bytes) {
  if (const auto found = free_.find(bytes); found != free_.end() && !found->second.empty()) {
    void* block = found->second.back();
    found->second.pop_back();
    return block;
  }
  return bytes <= kMostSmall ? carve(bytes) : from_card(bytes);
}

void* DeviceMemory::carve(size_t bytes) {
  if (slab_left_ < bytes) {
    void* slab = from_card(kSlab);
    if (slab == nullptr) return nullptr;
    slab_ = static_cast<std::byte*>(slab);
    slab_left_ = kSlab;
  }
  void* block = slab_;
  slab_ += bytes;
  slab_left_ -= bytes;
  return block;
}

void* DeviceMemory::from_card(size_t bytes) {
  if (taken_ + bytes > limit_) return nullptr;
  void* block = nullptr;
  const cudaError_t code = cudaMalloc(&block, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(code, "cudaMalloc");
  taken_ += bytes;
  return block;
}

/// Slabs stay: some of their blocks may be in use. cudaFree waits for the work that uses a block.
void DeviceMemory::give_back_cache() {
  for (auto& [size, blocks] : free_) {
    if (size <= kMostSmall) continue;
    for (void* block : blocks) check(cudaFree(block), "cudaFree");
    taken_ -= size * blocks.size();
    blocks.clear();
  }
}

}  // namespace alula::cuda
