#include "alula/backends/cuda/backend.h"

#include <algorithm>

#include "alula/backends/cuda/graph.h"
#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

/// More tickets are not kept apart: an old one then stands for more than it needs to.
constexpr size_t kMostTickets = 256;

}  // namespace

Gpu& CudaBackend::gpu() {
  std::call_once(once_, [this] { gpu_ = new Gpu(info_); });
  check(cudaSetDevice(info_.ordinal), "cudaSetDevice");
  return *gpu_;
}

std::string CudaBackend::description() const {
  return fmt::format("{}, {} multiprocessors, {} GiB", info_.name, info_.multiprocessors,
                     info_.memory >> 30);
}

MemoryInfo CudaBackend::memory() const {
  if (gpu_ == nullptr) return {.total = static_cast<int64_t>(info_.memory)};
  return gpu_->memory().info();
}

bool CudaBackend::supports(const Op& op, SpecRefs inputs) const {
  return op.type().kernel(DeviceType::kGPU) != nullptr && takes(op.type(), inputs);
}

void CudaBackend::run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) {
  Gpu& card = gpu();
  const CurrentCard current(card);
  cudaStream_t stream = card.stream();
  op.type().kernel(DeviceType::kGPU)(op, {.inputs = inputs, .outputs = outputs, .queue = stream});
}

std::unique_ptr<Executable> CudaBackend::prepare(std::vector<Step> steps) {
  return std::make_unique<CapturedGraph>(gpu(), std::move(steps));
}

void CudaBackend::copy_from_host(void* to, const void* from, size_t bytes) {
  if (bytes > 0) gpu().staging().to_device(to, from, bytes);
}

void CudaBackend::copy_to_host(void* to, const void* from, size_t bytes) {
  if (bytes > 0) gpu().staging().to_host(to, from, bytes);
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
