#include "alula/backends/cuda/backend.h"

#include <algorithm>

#include "alula/backends/cuda/event.h"
#include "alula/backends/cuda/faults.h"
#include "alula/backends/cuda/graph.h"
#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

/// More tickets are not kept apart: an old one then stands for more than it needs to.
constexpr size_t kMostTickets = 256;

}  // namespace

Gpu& CudaBackend::gpu() {
  std::call_once(once_, [this] { gpu_ = new Gpu(info_, memory_limit_); });
  check(cudaSetDevice(info_.ordinal), "cudaSetDevice");
  return *gpu_.load();
}

std::string CudaBackend::description() const {
  return fmt::format("{}, {} multiprocessors, {} GiB", info_.name, info_.multiprocessors,
                     info_.memory >> 30);
}

MemoryInfo CudaBackend::memory() const {
  if (const Gpu* gpu = gpu_.load()) return gpu->memory().info();
  const size_t limit = memory_limit_;
  return {.total = static_cast<int64_t>(limit > 0 ? limit : info_.memory)};
}

void CudaBackend::reset_peak() {
  if (Gpu* gpu = gpu_.load()) gpu->memory().reset_peak();
}

void CudaBackend::give_back_cache() {
  if (gpu_.load() != nullptr) gpu().memory().give_back_cache();
}

void CudaBackend::limit_memory(int64_t bytes) {
  require(bytes > 0 && static_cast<size_t>(bytes) <= info_.memory,
          "{}: the limit of its memory must be more than 0 and at most the {} bytes that the card "
          "has. Got {}.",
          device_, info_.memory, bytes);
  if (Gpu* gpu = gpu_.load()) gpu->memory().set_limit(static_cast<size_t>(bytes));
  memory_limit_ = static_cast<size_t>(bytes);
}

bool CudaBackend::supports(const Op& op, SpecRefs inputs) const {
  return op.type().kernel(DeviceType::kGPU) != nullptr && takes(op.type(), inputs);
}

void CudaBackend::run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) {
  Gpu& card = gpu();
  const CurrentCard current(card);
  cudaStream_t stream = card.stream();
  run_op(
      op, inputs,
      [&] {
        op.type().kernel(DeviceType::kGPU)(op,
                                           {.inputs = inputs, .outputs = outputs, .queue = stream});
      },
      [&] { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); });
}

std::unique_ptr<Executable> CudaBackend::prepare(std::vector<Step> steps) {
  return std::make_unique<CapturedGraph>(gpu(), std::move(steps));
}

void CudaBackend::copy_from_host(void* to, const void* from, size_t bytes) {
  if (bytes > 0) gpu().copies().to_device(to, from, bytes);
}

void CudaBackend::upload(void* to, const Tensor& from) {
  if (from.bytes() > 0) gpu().copies().upload(to, from);
}

void CudaBackend::copy_to_host(void* to, const void* from, size_t bytes) {
  if (bytes > 0) gpu().copies().to_host(to, from, bytes);
}

/// The two queues wait for one another: this one until the source is there, the owner's until it
/// has been read, since its memory may then be given out again.
bool CudaBackend::copy_from_peer(void* to, Backend& owner, const void* from, size_t bytes) {
  auto* peer = dynamic_cast<CudaBackend*>(&owner);
  if (peer == nullptr) return false;
  if (bytes == 0) return true;
  cudaStream_t theirs = peer->gpu().stream();
  const Event there;
  there.record(theirs);
  cudaStream_t ours = gpu().stream();
  let_access(*peer);
  const Event here;
  check(cudaStreamWaitEvent(ours, there.get(), 0), "cudaStreamWaitEvent");
  check(cudaMemcpyPeerAsync(to, info_.ordinal, from, peer->info_.ordinal, bytes, ours),
        "cudaMemcpyPeerAsync");
  here.record(ours);
  check(cudaStreamWaitEvent(theirs, here.get(), 0), "cudaStreamWaitEvent");
  return true;
}

/// Where two cards can reach one another's memory, a copy need not go by way of the host; where
/// they cannot, the driver sees to it.
void CudaBackend::let_access(const CudaBackend& peer) {
  const std::lock_guard lock(peers_mutex_);
  if (!peers_.insert(peer.info_.ordinal).second) return;
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, info_.ordinal, peer.info_.ordinal) == cudaSuccess && can != 0)
    cudaDeviceEnablePeerAccess(peer.info_.ordinal, 0);
  cudaGetLastError();  // copies work without it
}

void CudaBackend::copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  cudaStream_t stream = gpu().stream();
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
}

Ticket CudaBackend::record() {
  cudaStream_t stream = gpu().stream();
  const std::lock_guard lock(tickets_mutex_);
  if (recorded_.size() == kMostTickets) drop_until(recorded_.front().ticket);
  if (spare_events_.empty()) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    spare_events_.push_back(event);
  }
  check(cudaEventRecord(spare_events_.back(), stream), "cudaEventRecord");
  recorded_.push_back({++last_ticket_, spare_events_.back()});
  spare_events_.pop_back();
  return last_ticket_;
}

void CudaBackend::wait(Ticket ticket) {
  gpu();
  // The lock is not held while waiting. An event that is recorded again meanwhile stands for more
  // work than was asked for, never for less.
  cudaEvent_t event = event_of(ticket);
  if (event == nullptr) return;
  check(cudaEventSynchronize(event), "cudaEventSynchronize");
  const std::lock_guard lock(tickets_mutex_);
  known_done_ = std::max(known_done_, ticket);
  drop_until(ticket);
}

bool CudaBackend::done(Ticket ticket) {
  gpu();
  cudaEvent_t event = event_of(ticket);
  if (event == nullptr) return true;
  const cudaError_t code = cudaEventQuery(event);
  if (code == cudaErrorNotReady) return false;
  check(code, "cudaEventQuery");
  return true;
}

cudaEvent_t CudaBackend::event_of(Ticket ticket) {
  const std::lock_guard lock(tickets_mutex_);
  if (ticket <= known_done_) return nullptr;
  const auto found =
      std::find_if(recorded_.begin(), recorded_.end(),
                   [ticket](const Recorded& recorded) { return recorded.ticket >= ticket; });
  return found == recorded_.end() ? nullptr : found->event;
}

void CudaBackend::drop_until(Ticket ticket) {
  while (!recorded_.empty() && recorded_.front().ticket <= ticket) {
    spare_events_.push_back(recorded_.front().event);
    recorded_.pop_front();
  }
}

}  // namespace alula::cuda
