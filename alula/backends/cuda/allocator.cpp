#include "alula/backends/cuda/allocator.h"

#include <algorithm>
#include <bit>
#include <functional>

#include <fmt/ranges.h>

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

DeviceMemory::DeviceMemory(std::unique_ptr<CardMemory> card, size_t total, size_t limit)
    : card_(std::move(card)),
      total_(total),
      limit_(limit > 0 ? limit : total - std::min(kReserve, total / 16)),
      limited_(limit > 0) {}

void DeviceMemory::set_limit(size_t bytes) {
  const std::lock_guard lock(mutex_);
  require<FailedPreconditionError>(
      taken_ == 0,
      "GPU: the limit of its memory cannot be changed once memory has been taken. Got {} bytes, "
      "{} are taken. Set it before the GPU is used.",
      bytes, taken_);
  limit_ = bytes;
  limited_ = true;
}

void* DeviceMemory::allocate(size_t bytes) {
  const std::lock_guard lock(mutex_);
  // A size beyond the card is refused before it is rounded, which could overflow.
  void* block = bytes > total_ ? nullptr : take(rounded_size(bytes));
  block = or_after_giving_back(bytes, block);
  hand_out(block, bytes);
  return block;
}

DeviceMemory::Rested DeviceMemory::allocate_rested(size_t bytes, uint64_t passed) {
  constexpr size_t kFew = 3;
  const std::lock_guard lock(mutex_);
  const size_t size = bytes > total_ ? 0 : rounded_size(bytes);
  std::vector<Free>& waiting = free_[size];
  Rested rested{nullptr, 0};
  const bool none_rested = waiting.empty() || waiting.front().released > passed;
  if (none_rested && waiting.size() < kFew && size > kMostSmall) rested.block = from_card(size);
  if (rested.block == nullptr && !waiting.empty()) {
    rested = {waiting.front().block, waiting.front().released};  // that which has waited longest
    waiting.erase(waiting.begin());
  }
  if (rested.block == nullptr && size > 0) rested.block = take(size);
  rested.block = or_after_giving_back(bytes, rested.block);
  hand_out(rested.block, bytes);
  return rested;
}

/// A request that failed once is met after the cache was given back, or is an error.
void* DeviceMemory::or_after_giving_back(size_t bytes, void* block) {
  if (block == nullptr && bytes <= total_) {
    give_back_large();
    give_back_slabs();
    block = take(rounded_size(bytes));
  }
  if (block != nullptr) return block;
  fail<ResourceExhaustedError>(
      "GPU: there is no memory for {} bytes more. {} are in use by this process's tensors{}, and "
      "{} of the card's {} are free.{} Use smaller batches, or release tensors.",
      bytes, in_use_, largest(), card_->free_bytes(), total_,
      limited_ ? fmt::format(" The limit set for this process is {}.", limit_) : "");
}

void DeviceMemory::hand_out(void* block, size_t bytes) {
  in_use_ += rounded_size(bytes);
  peak_ = std::max(peak_, in_use_);
  if (bytes > kMostSmall) large_[block] = bytes;
}

void DeviceMemory::release(void* block, size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const size_t size = rounded_size(bytes);
  if (bytes > kMostSmall) large_.erase(block);
  free_[size].push_back({block, ++releases_});
  in_use_ -= size;
}

uint64_t DeviceMemory::releases() const {
  const std::lock_guard lock(mutex_);
  return releases_;
}

MemoryInfo DeviceMemory::info() const {
  const std::lock_guard lock(mutex_);
  return {.in_use = static_cast<int64_t>(in_use_),
          .cached = static_cast<int64_t>(taken_ - in_use_),
          .total = static_cast<int64_t>(limited_ ? limit_ : total_),
          .peak = static_cast<int64_t>(peak_)};
}

void DeviceMemory::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = in_use_;
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
    void* block = found->second.back().block;
    found->second.pop_back();
    return block;
  }
  return bytes <= kMostSmall ? carve(bytes) : from_card(bytes);
}

void* DeviceMemory::carve(size_t bytes) {
  if (slab_ == nullptr || kSlab - slabs_[slab_] < bytes) {
    void* slab = from_card(kSlab);
    if (slab == nullptr) return nullptr;
    slab_ = static_cast<std::byte*>(slab);
    slabs_[slab_] = 0;
  }
  size_t& cut = slabs_[slab_];
  void* block = slab_ + cut;
  cut += bytes;
  return block;
}

void* DeviceMemory::from_card(size_t bytes) {
  if (bytes > limit_ || taken_ > limit_ - bytes) return nullptr;
  void* block = card_->take(bytes);
  if (block != nullptr) taken_ += bytes;
  return block;
}

void DeviceMemory::give_back_cache() {
  const std::lock_guard lock(mutex_);
  give_back_large();
  give_back_slabs();
}

void DeviceMemory::give_back_large() {
  for (auto& [size, blocks] : free_) {
    if (size <= kMostSmall) continue;
    for (; !blocks.empty(); blocks.pop_back(), taken_ -= size)
      card_->give_back(blocks.back().block);
  }
}

/// Those slabs of which no block is in use.
void DeviceMemory::give_back_slabs() {
  const auto slab_of = [this](void* block) {
    return std::prev(slabs_.upper_bound(static_cast<std::byte*>(block)))->first;
  };
  std::map<std::byte*, size_t> waiting;  // bytes, by slab
  for (const auto& [size, blocks] : free_)
    for (const Free& free : blocks)
      if (size <= kMostSmall) waiting[slab_of(free.block)] += size;
  std::erase_if(waiting, [this](const auto& slab) { return slab.second != slabs_[slab.first]; });
  for (auto& [size, blocks] : free_)
    if (size <= kMostSmall)
      std::erase_if(blocks,
                    [&](const Free& free) { return waiting.contains(slab_of(free.block)); });
  for (const auto& [slab, bytes] : waiting) {
    card_->give_back(slab);
    taken_ -= kSlab;
    slabs_.erase(slab);
    if (slab == slab_) slab_ = nullptr;
  }
}

}  // namespace alula::cuda
