#include "alula/backends/simulated/arena.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <unistd.h>

#include <sys/mman.h>

#include "alula/core/error.h"

namespace alula::simulated {
namespace {

std::byte* map(int file, size_t bytes, int protection) {
  // Nothing is reserved: an arena takes as much of the host's memory as has been used of it.
  void* address = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

size_t whole_pages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
  return std::max(page, (bytes + page - 1) / page * page);
}

}  // namespace

Arena::Arena(size_t bytes) : size_(whole_pages(bytes)) {
  const int file = memfd_create("alula-simulated", MFD_CLOEXEC);
  const bool sized = file >= 0 && ftruncate(file, static_cast<off_t>(size_)) == 0;
  device_ = sized ? map(file, size_, PROT_NONE) : nullptr;
  host_ = sized ? map(file, size_, PROT_READ | PROT_WRITE) : nullptr;
  const int problem = errno;
  if (file >= 0) close(file);  // the mappings stay
  if (device_ == nullptr || host_ == nullptr) {
    if (device_ != nullptr) munmap(device_, size_);
    if (host_ != nullptr) munmap(host_, size_);
    fail<ResourceExhaustedError>("simulated: the host does not give {} bytes: {}.", size_,
                                 std::strerror(problem));
  }
  gaps_.emplace(0, size_);
}

Arena::~Arena() {
  munmap(device_, size_);
  munmap(host_, size_);
}

size_t Arena::rounded(size_t bytes) {
  return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

void* Arena::allocate(size_t bytes) {
  if (bytes > size_) return nullptr;
  const size_t wanted = rounded(bytes);
  const std::lock_guard lock(mutex_);
  const auto gap = std::find_if(gaps_.begin(), gaps_.end(),
                                [&](const auto& gap) { return gap.second >= wanted; });
  if (gap == gaps_.end()) return nullptr;
  const auto [offset, free] = *gap;
  gaps_.erase(gap);
  if (free > wanted) gaps_.emplace(offset + wanted, free - wanted);
  in_use_ += wanted;
  return device_ + offset;
}

void Arena::release(void* block, size_t bytes) {
  const size_t given = rounded(bytes);
  const std::lock_guard lock(mutex_);
  in_use_ -= given;
  auto gap = gaps_.emplace(static_cast<std::byte*>(block) - device_, given).first;
  const auto join_next = [&](auto at) {
    const auto next = std::next(at);
    if (next == gaps_.end() || at->first + at->second != next->first) return;
    at->second += next->second;
    gaps_.erase(next);
  };
  join_next(gap);
  if (gap != gaps_.begin()) join_next(std::prev(gap));
}

size_t Arena::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

std::byte* Arena::host(const void* address, size_t bytes) const {
  // Compared as numbers: the address may be anybody's.
  const size_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(device_);
  require<InternalError>(offset <= size_ && bytes <= size_ - offset,
                         "simulated: {} bytes at {} are not in the device's memory.", bytes,
                         fmt::ptr(address));
  return host_ + offset;
}

}  // namespace alula::simulated
