#include "alula/runtime/devices.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

#include <fmt/ranges.h>

#include "alula/core/log.h"
#include "alula/core/memory_source.h"
#include "alula/runtime/device_config.h"
#include "alula/runtime/dispatch.h"
#include "alula/runtime/plugin.h"
#include "alula/runtime/replace_backend.h"
#include "alula/runtime/team.h"

namespace alula {
namespace {

constexpr int kMostPerType = 16;

struct Registry {
  std::array<std::array<std::atomic<Backend*>, kMostPerType>, kDeviceTypeCount> backends{};
  std::atomic<int> visible_gpus = kMostPerType;
  std::atomic<bool> soft_placement = true;
  std::atomic<bool> tensor_float_32 = true;

  std::atomic<Backend*>& slot(Device device) {
    require(device.index < kMostPerType, "device: at most {} devices of a type. Got {}.",
            kMostPerType, device);
    return backends[static_cast<int>(device.type)][device.index];
  }
};

Registry& registry() {
  static Registry* registry = new Registry;  // tensors may outlive everything static
  return *registry;
}

bool is_hidden(Device device) {
  return device.type == DeviceType::kGPU && device.index >= registry().visible_gpus;
}

/// Also one that is hidden.
Backend* find_any(Device device) {
  if (Backend* backend = registry().slot(device).load(std::memory_order_acquire)) return backend;
  if (device.type == DeviceType::kGPU && plugin::load_once())
    return registry().slot(device).load(std::memory_order_acquire);
  return nullptr;
}

Backend* find(Device device) { return is_hidden(device) ? nullptr : find_any(device); }

std::string why_missing(Device device) {
  if (device.type == DeviceType::kSimulated) return "no simulated device has been added";
  if (device.is_cpu()) return "there is one CPU device, /CPU:0";
  if (is_hidden(device)) return "it is hidden by set_visible_devices";
  if (const auto gpus = config::list_physical_devices(DeviceType::kGPU); !gpus.empty())
    return fmt::format("there {} {}", gpus.size() == 1 ? "is one GPU," : "are the GPUs",
                       fmt::join(gpus, ", "));
  return plugin::reason();
}

}  // namespace

Backend& backend_of(Device device) {
  Backend* backend = find(device);
  require<NotFoundError>(backend != nullptr, "device: {} cannot be used: {}.", device,
                         backend == nullptr ? why_missing(device) : "");
  return *backend;
}

Device usable(Device device) {
  if (device == kCPU || find(device) != nullptr) return device;
  const std::string why = why_missing(device);
  require<NotFoundError>(registry().soft_placement,
                         "device: {} was asked for, but there is no usable one: {}.", device, why);
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(to_string(device)).second)
    logging::warn(
        "{} was asked for, but there is no usable one: {}. Running on /CPU:0.\n"
        "  Set soft placement off to make this an error. (This is said once.)",
        device, why);
  return kCPU;
}

void add_backend(std::unique_ptr<Backend> backend) {
  std::atomic<Backend*>& slot = registry().slot(backend->device());
  require<FailedPreconditionError>(slot.load() == nullptr, "device: {} is there already.",
                                   backend->device());
  slot.store(backend.release(), std::memory_order_release);
}

std::unique_ptr<Backend> replace_backend(std::unique_ptr<Backend> backend) {
  backend_of(backend->device());  // there must be one
  return std::unique_ptr<Backend>(
      registry().slot(backend->device()).exchange(backend.release(), std::memory_order_acq_rel));
}

void remove_backend(Device device) { delete registry().slot(device).exchange(nullptr); }

DeviceScope::DeviceScope(Device device)
    : outer_(t_state.device), had_outer_(t_state.flags & ThreadState::kDeviceScope) {
  t_state.device = usable(device);
  t_state.flags |= ThreadState::kDeviceScope;
}

DeviceScope::~DeviceScope() {
  t_state.device = outer_;
  if (!had_outer_) t_state.flags &= ~ThreadState::kDeviceScope;
}

namespace {

/// What a copy to another device is to listeners. Its gradient goes the way back.
struct Transfer final : OpOf<Transfer> {
  static constexpr const char* kName = "to";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  Device from;

  explicit Transfer(Device from) : from(from) {}
  Specs infer(SpecRefs inputs) const override { return {inputs[0]}; }
  Attributes attributes() const override { return {{"from", from}}; }
  Gradients gradient(const Recorded& call) const override { return {call.dy().to(from)}; }
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};

}  // namespace

Tensor moved(const Tensor& tensor, Device to) {
  const Device target = usable(to);
  const Device from = tensor.device();
  if (from == target) return tensor;
  require(tensor.dtype() != string, "tensor: strings stay on the CPU. Got {}, asked for {}.",
          tensor.spec(), target);
  const auto count = static_cast<size_t>(tensor.bytes());
  if (target.is_cpu()) {
    Tensor copy = Tensor::uninitialized(tensor.spec());
    backend_of(from).copy_to_host(copy.mutable_data(), tensor.data(), count);
    return copy;
  }
  Backend& backend = backend_of(target);
  if (!from.is_cpu()) {
    Tensor copy = Tensor::uninitialized(tensor.spec(), backend);
    if (backend.copy_from_peer(copy.mutable_data(), backend_of(from), tensor.data(), count))
      return copy;
    return moved(moved(tensor, kCPU), target);
  }
  Tensor copy = Tensor::uninitialized(tensor.spec(), backend.for_uploads());
  backend.upload(copy.mutable_data(), tensor);
  return copy;
}

Tensor Tensor::to(Device wanted) const {
  require<FailedPreconditionError>(defined(), "tensor: it is not defined yet; it has no elements.");
  if (is_symbolic()) return *this;  // where its value will be is not decided here
  const Tensor there = moved(*this, wanted);
  if ((t_state.flags & ThreadState::kListening) && !there.same_as(*this)) {
    const Tensor* self = this;
    tell_listeners(Transfer(device()), there.device(), TensorRefs({&self, 1}), {&there, 1});
  }
  return there;
}

namespace {

void copy_in_parallel(void* to, const void* from, size_t bytes) {
  constexpr int64_t kPiece = 64 << 10;
  constexpr double kNanoseconds = kPiece / 10.0;  // at 10 GB/s
  const auto total = static_cast<int64_t>(bytes);
  team::parallel_for((total + kPiece - 1) / kPiece, kNanoseconds, [=](int64_t begin, int64_t end) {
    const int64_t start = begin * kPiece, stop = std::min(end * kPiece, total);
    std::memcpy(static_cast<std::byte*>(to) + start, static_cast<const std::byte*>(from) + start,
                static_cast<size_t>(stop - start));
  });
}

[[maybe_unused]] const bool g_copies = (memory::set_copier(&copy_in_parallel), true);

}  // namespace

namespace config {

void set_visible_devices(const std::vector<Device>& devices, DeviceType type) {
  constexpr const char* kName = "set_visible_devices";
  for (size_t i = 0; i < devices.size(); ++i)
    require(devices[i] == Device(type, static_cast<int>(i)),
            "{}: they must be the first of their type, in order. Got {}. Set CUDA_VISIBLE_DEVICES "
            "before the program starts to choose others.",
            kName, fmt::join(devices, ", "));
  const int count = static_cast<int>(devices.size());
  if (type != DeviceType::kGPU) {
    const std::vector<Device> all = list_physical_devices(type);
    require(devices.size() == all.size(), "{}: only GPUs can be hidden. Got {} of {} devices.",
            kName, count, all.size());
    return;
  }
  for (const Device device : devices)
    require<NotFoundError>(find_any(device) != nullptr, "{}: there is no {}.", kName, device);
  for (int i = count; i < kMostPerType; ++i) {
    const Backend* backend = registry().slot(Device(type, i)).load(std::memory_order_acquire);
    require<FailedPreconditionError>(
        backend == nullptr || backend->memory().in_use == 0,
        "{}: {} cannot be hidden: there are tensors on it. Hide it before it is used.", kName,
        Device(type, i));
  }
  registry().visible_gpus = count;
}

std::vector<Device> list_physical_devices(DeviceType type) {
  std::vector<Device> devices;
  for (int i = 0; i < kMostPerType; ++i)
    if (find(Device(type, i)) != nullptr) devices.emplace_back(type, i);
  return devices;
}

std::vector<Device> list_physical_devices() {
  std::vector<Device> devices;
  for (int type = 0; type < kDeviceTypeCount; ++type)
    for (Device device : list_physical_devices(static_cast<DeviceType>(type)))
      devices.push_back(device);
  return devices;
}

void set_soft_device_placement(bool enabled) { registry().soft_placement = enabled; }
bool get_soft_device_placement() { return registry().soft_placement; }

void set_intra_op_parallelism_threads(int count) { team::set_size(count); }
int get_intra_op_parallelism_threads() { return team::size(); }

void enable_tensor_float_32_execution(bool enabled) { registry().tensor_float_32 = enabled; }
bool tensor_float_32_execution_enabled() { return registry().tensor_float_32; }

}  // namespace config
}  // namespace alula
