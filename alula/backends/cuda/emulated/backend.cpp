#include "alula/backends/cuda/emulated/backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "alula/backends/cuda/emulated/graph.h"
#include "alula/backends/cuda/faults.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/core/memory.h"
#include "alula/ops/elementwise.h"

namespace alula::cuda::emulated {

bool is_left_to_cpu(const Op& op) {
  static const bool all = std::getenv("ALULA_EMULATED_ELEMENTWISE") != nullptr;
  return !all && &op.type() == &ElementwiseOp::static_type();
}

void* CountedMemory::allocate(Device device, size_t bytes) {
  const std::lock_guard lock(mutex_);
  const int64_t free = limit_ - in_use_;
  require<ResourceExhaustedError>(
      bytes <= static_cast<size_t>(std::max<int64_t>(free, 0)),
      "GPU: there is no memory for {} bytes more on {}. {} are in use, and {} is the limit.", bytes,
      device, in_use_, limit_);
  void* block = memory::allocate(bytes);
  blocks_[static_cast<std::byte*>(block)] = bytes;
  in_use_ += static_cast<int64_t>(bytes);
  peak_ = std::max(peak_, in_use_);
  return block;
}

void CountedMemory::release(void* block, size_t bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    blocks_.erase(static_cast<std::byte*>(block));
    in_use_ -= static_cast<int64_t>(bytes);
  }
  memory::release(block, bytes);
}

MemoryInfo CountedMemory::info() const {
  const std::lock_guard lock(mutex_);
  return {.in_use = in_use_, .total = limit_, .peak = peak_};
}

void CountedMemory::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = in_use_;
}

void CountedMemory::set_limit(Device device, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  require(bytes > 0 && bytes <= kTotal,
          "{}: the limit of its memory must be more than 0 and at most {} bytes. Got {}.", device,
          kTotal, bytes);
  require<FailedPreconditionError>(
      in_use_ == 0,
      "{}: the limit of its memory cannot be changed while memory is in use. Got {} bytes.", device,
      bytes);
  limit_ = bytes;
}

bool CountedMemory::owns(const void* start, size_t bytes) const {
  if (bytes == 0) return true;
  const auto* first = static_cast<const std::byte*>(start);
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(first);
  if (after == blocks_.begin()) return false;
  const auto& [block, size] = *std::prev(after);
  return first + bytes <= block + size;
}

bool EmulatedBackend::supports(const Op& op, SpecRefs inputs) const {
  return op.type().kernel(DeviceType::kGPU) != nullptr && takes(op.type(), inputs);
}

void EmulatedBackend::check_owns(const void* start, size_t bytes) const {
  require<InternalError>(memory_.owns(start, bytes),
                         "GPU: {} was given {} bytes that are not its own.", device_, bytes);
}

void EmulatedBackend::run(const Op& op, std::span<const View> inputs,
                          std::span<const View> outputs) {
  for (const std::span<const View>& views : {inputs, outputs})
    for (const View& view : views) check_owns(view.data, static_cast<size_t>(view.bytes()));
  const CurrentCard current(card_);
  const DeviceType type = is_left_to_cpu(op) ? DeviceType::kCPU : DeviceType::kGPU;
  run_op(
      op, inputs,
      [&] {
        op.type().kernel(type)(op, {.inputs = inputs, .outputs = outputs});
        ran(op);
      },
      [&] { report_fault(); });
}

std::unique_ptr<Executable> EmulatedBackend::prepare(std::vector<Step> steps) {
  return std::make_unique<EmulatedGraph>(*this, std::move(steps));
}

void EmulatedBackend::copy_from_host(void* to, const void* from, size_t bytes) {
  check_owns(to, bytes);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void EmulatedBackend::copy_to_host(void* to, const void* from, size_t bytes) {
  check_owns(from, bytes);
  report_fault();
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void EmulatedBackend::copy(void* to, const void* from, size_t bytes) {
  check_owns(from, bytes);
  check_owns(to, bytes);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

bool EmulatedBackend::copy_from_peer(void* to, Backend& owner, const void* from, size_t bytes) {
  const auto* peer = dynamic_cast<EmulatedBackend*>(&owner);
  if (peer == nullptr || std::getenv("ALULA_EMULATED_NO_PEERS") != nullptr) return false;
  peer->check_owns(from, bytes);
  check_owns(to, bytes);
  if (bytes > 0) std::memcpy(to, from, bytes);
  return true;
}

void EmulatedBackend::ran(const Op& op) {
  const char* failing = std::getenv("ALULA_EMULATED_FAULT");
  if (failing != nullptr && std::string_view(failing) == op.name()) faulty_ = true;
}

void EmulatedBackend::report_fault() {
  require<InternalError>(!faulty_.exchange(false), "GPU: a kernel failed (emulated).{}",
                         how_to_find_the_op());
}

}  // namespace alula::cuda::emulated
