#include "alula/testing/watched_backend.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "alula/runtime/devices.h"
#include "alula/runtime/replace_backend.h"

namespace alula::testing {
namespace {

constexpr size_t kGuardBytes = 256;  // as much as memory is aligned to
constexpr std::byte kGuardByte{0xA5};
/// Kept for a look at their guards; beyond that, they are looked at at once.
constexpr size_t kMostReleased = size_t{1} << 30;

struct Released {
  void* block;
  size_t bytes;
};

struct Counts {
  std::mutex mutex;
  Watched watched;
  Backend* backend = nullptr;  // the device's own
  bool guarded = false;
  std::vector<Released> released;
  size_t released_bytes = 0;
};

/// Kept for the whole process: lists of calls may run until its end.
std::map<Device, Counts>& all_counts() {
  static auto* counts = new std::map<Device, Counts>;
  return *counts;
}

/// A prepared list: what is in it counts each time that it runs.
class WatchedList final : public Executable {
 public:
  WatchedList(std::unique_ptr<Executable> list, std::map<std::string, int64_t> ops, Counts& counts)
      : list_(std::move(list)), ops_(std::move(ops)), counts_(counts) {}

  void run(std::span<void* const> slots) override {
    list_->run(slots);
    const std::lock_guard lock(counts_.mutex);
    for (const auto& [op, count] : ops_) counts_.watched.kernels[op] += count;
  }

 private:
  std::unique_ptr<Executable> list_;
  std::map<std::string, int64_t> ops_;
  Counts& counts_;
};

class WatchedBackend final : public Backend {
 public:
  WatchedBackend(Backend& backend, Counts& counts) : backend_(backend), counts_(counts) {}

  Device device() const override { return backend_.device(); }
  void* allocate(size_t bytes) override {
    if (!counts_.guarded) return backend_.allocate(bytes);
    if (counts_.released_bytes > kMostReleased) check_guards(device());
    void* block = backend_.allocate(bytes + kGuardBytes);
    const std::vector<std::byte> guard(kGuardBytes, kGuardByte);
    backend_.copy_from_host(static_cast<std::byte*>(block) + bytes, guard.data(), kGuardBytes);
    return block;
  }
  void release(void* block, size_t bytes) noexcept override {
    if (!counts_.guarded) return backend_.release(block, bytes);
    // Not looked at here: a graph may be being captured, or the queue be full of work.
    const std::lock_guard lock(counts_.mutex);
    counts_.released.push_back({block, bytes});
    counts_.released_bytes += bytes;
  }
  std::string description() const override { return backend_.description(); }
  MemoryInfo memory() const override { return backend_.memory(); }
  void reset_peak() override { backend_.reset_peak(); }
  void give_back_cache() override { backend_.give_back_cache(); }
  void limit_memory(int64_t bytes) override { backend_.limit_memory(bytes); }

  bool supports(const Op& op, SpecRefs inputs) const override {
    if (backend_.supports(op, inputs)) return true;
    const bool none = op.type().kernel(device().type) == nullptr;
    std::string dtypes;
    for (size_t i = 0; i < inputs.size(); ++i)
      dtypes += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(inputs[i].dtype));
    const std::lock_guard lock(counts_.mutex);
    auto& refused = counts_.watched.refused[fmt::format("{}({})", op.name(), dtypes)];
    ++refused.calls;
    refused.why = none ? "there is no kernel" : "the kernel does not take these dtypes";
    return false;
  }
  void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) override {
    backend_.run(op, inputs, outputs);
    const std::lock_guard lock(counts_.mutex);
    ++counts_.watched.kernels[op.name()];
  }
  std::unique_ptr<Executable> prepare(std::vector<Step> steps) override {
    std::map<std::string, int64_t> ops;
    for (const Step& step : steps) ++ops[step.op->name()];
    return std::make_unique<WatchedList>(backend_.prepare(std::move(steps)), std::move(ops),
                                         counts_);
  }

  void copy_from_host(void* to, const void* from, size_t bytes) override {
    backend_.copy_from_host(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, size_t bytes) override {
    backend_.copy_to_host(to, from, bytes);
  }
  void upload(void* to, const Tensor& from) override {
    // Guarded blocks are not those of the device's for_uploads.
    if (counts_.guarded) return Backend::upload(to, from);
    backend_.upload(to, from);
  }
  Allocator& for_uploads() override {
    return counts_.guarded ? static_cast<Allocator&>(*this) : backend_.for_uploads();
  }
  bool copy_from_peer(void* to, Backend& owner, const void* from, size_t bytes) override {
    auto* other = dynamic_cast<WatchedBackend*>(&owner);
    return backend_.copy_from_peer(to, other != nullptr ? other->backend_ : owner, from, bytes);
  }
  void copy(void* to, const void* from, size_t bytes) override { backend_.copy(to, from, bytes); }
  Ticket record() override { return backend_.record(); }
  void wait(Ticket ticket) override { backend_.wait(ticket); }
  bool done(Ticket ticket) override { return backend_.done(ticket); }

 private:
  Backend& backend_;
  Counts& counts_;
};

}  // namespace

int64_t Watched::all_kernels() const {
  int64_t sum = 0;
  for (const auto& [op, count] : kernels) sum += count;
  return sum;
}

void watch(Device device, Guard guard) {
  const auto [at, is_new] = all_counts().try_emplace(device);
  if (!is_new) return;
  Backend& backend = backend_of(device);
  at->second.backend = &backend;
  at->second.guarded = guard == Guard::kYes;
  // What it replaces lives on behind it, to the end of the process.
  replace_backend(std::make_unique<WatchedBackend>(backend, at->second)).release();
}

void check_guards(Device device) {
  const auto at = all_counts().find(device);
  if (at == all_counts().end() || !at->second.guarded) return;
  Counts& counts = at->second;
  std::vector<Released> released;
  {
    const std::lock_guard lock(counts.mutex);
    released = std::exchange(counts.released, {});
    counts.released_bytes = 0;
  }
  std::vector<std::byte> guard(kGuardBytes);
  for (const Released& one : released) {
    const auto* end = static_cast<const std::byte*>(one.block) + one.bytes;
    counts.backend->copy_to_host(guard.data(), end, kGuardBytes);
    const bool whole = std::ranges::all_of(guard, [](std::byte b) { return b == kGuardByte; });
    counts.backend->release(one.block, one.bytes + kGuardBytes);
    const std::lock_guard lock(counts.mutex);
    counts.watched.overruns += !whole;
  }
}

Watched watched(Device device) {
  const auto at = all_counts().find(device);
  if (at == all_counts().end()) return {};
  const std::lock_guard lock(at->second.mutex);
  return at->second.watched;
}

}  // namespace alula::testing
