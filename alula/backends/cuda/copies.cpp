#include "alula/backends/cuda/copies.h"

#include <cstdlib>

#include "alula/backends/cuda/error.h"

namespace alula::cuda {
namespace {

constexpr int kDirectMark = CopyQueue::kMarks - 1;  // of a copy that needs no staging
constexpr int kFirstFence = 8;                      // small copies have marks before it

cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return event;
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

/// An error means no more than that there is no pinned memory to be had.
bool pin(int ordinal, void* start, size_t bytes) {
  const bool pinned = cudaSetDevice(ordinal) == cudaSuccess &&
                      cudaHostRegister(start, bytes, cudaHostRegisterPortable) == cudaSuccess;
  if (!pinned) cudaGetLastError();
  return pinned;
}

}  // namespace

PinnedMemory& pinned_memory() {
  static PinnedMemory* memory = [] {
    int ordinal = 0;
    check(cudaGetDevice(&ordinal), "cudaGetDevice");
    auto* made = new PinnedMemory(
        [ordinal](void* start, size_t bytes) { return pin(ordinal, start, bytes); }, {});
    made->replaces(1);  // the first slab, before it is needed
    memory::set_source(made);
    // Registered after the driver's own, so called before: it must not be pinning when it ends.
    std::atexit([] { pinned_memory().stop(); });
    return made;
  }();
  return *memory;
}

StreamQueue::StreamQueue(int ordinal, cudaStream_t stream) : ordinal_(ordinal), stream_(stream) {
  for (cudaEvent_t& event : events_) event = make_event();
}

std::byte* StreamQueue::pinned(size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "cudaHostAlloc");
  return static_cast<std::byte*>(memory);
}

void StreamQueue::put(void* to, const void* from, size_t bytes) {
  check(cudaSetDevice(ordinal_), "cudaSetDevice");  // this may be a helper's thread
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
}

void StreamQueue::mark(int which) {
  check(cudaEventRecord(events_[which], stream_), "cudaEventRecord");
}

void StreamQueue::wait(int which) {
  check(cudaEventSynchronize(events_[which]), "cudaEventSynchronize");
}

bool StreamQueue::done(int which) {
  const cudaError_t code = cudaEventQuery(events_[which]);
  if (code == cudaErrorNotReady) return false;
  check(code, "cudaEventQuery");
  return true;
}

Copies::Copies(int ordinal, cudaStream_t main, DeviceMemory& memory)
    : memory_(memory),
      main_(ordinal, main),
      up_(ordinal, make_stream()),
      down_(ordinal, make_stream()),
      fences_(main_, kFirstFence),
      small_(main_),
      uploads_(up_),
      downloads_(down_),
      upload_event_(make_event()),
      download_event_(make_event()) {
  pinned_memory();
}

void Copies::order(cudaStream_t earlier, cudaStream_t later, cudaEvent_t event) {
  check(cudaEventRecord(event, earlier), "cudaEventRecord");
  check(cudaStreamWaitEvent(later, event, 0), "cudaStreamWaitEvent");
}

void Copies::to_device(void* to, const void* from, size_t bytes) {
  if (bytes <= SmallCopies::kMost) return small_.to_device(to, from, bytes);
  const std::lock_guard lock(upload_mutex_);
  let_go();
  order(main_.stream(), up_.stream(), upload_event_);
  if (!pinned_memory().owns(from)) {
    uploads_.copy(to, from, bytes);
    order(up_.stream(), main_.stream(), upload_event_);
    return;
  }
  up_.put(to, from, bytes);
  up_.mark(kDirectMark);
  order(up_.stream(), main_.stream(), upload_event_);
  up_.wait(kDirectMark);
}

void* Copies::allocate(size_t bytes) {
  if (bytes <= SmallCopies::kMost) return memory_.allocate(bytes);
  const DeviceMemory::Rested rested = memory_.allocate_rested(bytes, fences_.passed());
  const std::lock_guard lock(unused_mutex_);
  unused_[rested.block] = rested.released;
  return rested.block;
}

void Copies::release(void* block, size_t bytes) noexcept {
  if (bytes > SmallCopies::kMost) {
    const std::lock_guard lock(unused_mutex_);
    unused_.erase(block);
  }
  memory_.release(block, bytes);
}

bool Copies::may_be_in_use(void* block) {
  const std::lock_guard lock(unused_mutex_);
  const auto found = unused_.find(block);
  if (found == unused_.end()) return true;
  const uint64_t released = found->second;
  unused_.erase(found);
  return released > fences_.passed();
}

void Copies::upload(void* to, const Tensor& from) {
  const auto bytes = static_cast<size_t>(from.bytes());
  if (bytes <= SmallCopies::kMost) return small_.to_device(to, from.data(), bytes);
  const std::lock_guard lock(upload_mutex_);
  let_go();
  if (may_be_in_use(to)) order(main_.stream(), up_.stream(), upload_event_);
  fences_.set(memory_.releases());  // for the uploads to come
  const bool pinned = pinned_memory().owns(from.data());
  if (pinned)
    up_.put(to, from.data(), bytes);
  else
    uploads_.copy(to, from.data(), bytes);
  order(up_.stream(), main_.stream(), upload_event_);
  if (pinned) hold(from);
}

void Copies::to_host(void* to, const void* from, size_t bytes) {
  if (bytes <= SmallCopies::kMost) return small_.to_host(to, from, bytes);
  const std::lock_guard lock(download_mutex_);
  order(main_.stream(), down_.stream(), download_event_);
  if (!pinned_memory().owns(to)) return downloads_.copy(to, from, bytes);
  down_.put(to, from, bytes);
  down_.mark(kDirectMark);
  down_.wait(kDirectMark);
}

void Copies::hold(const Tensor& tensor) {
  constexpr size_t kMost = 64;
  if (held_.size() == kMost) {
    check(cudaEventSynchronize(held_.front().read), "cudaEventSynchronize");
    let_go();
  }
  if (spare_events_.empty()) spare_events_.push_back(make_event());
  check(cudaEventRecord(spare_events_.back(), up_.stream()), "cudaEventRecord");
  held_.push_back({spare_events_.back(), tensor});
  spare_events_.pop_back();
}

void Copies::let_go() {
  while (!held_.empty() && cudaEventQuery(held_.front().read) != cudaErrorNotReady) {
    spare_events_.push_back(held_.front().read);
    held_.pop_front();
  }
}

}  // namespace alula::cuda
