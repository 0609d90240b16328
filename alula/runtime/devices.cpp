#include "alula/runtime/devices.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

#include "alula/core/log.h"
#include "alula/runtime/dispatch.h"
#include "alula/runtime/plugin.h"
#include "alula/runtime/team.h"

namespace alula {
namespace {

constexpr int kMostPerType = 16;

struct Registry {
  std::array<std::array<std::atomic<Backend*>, kMostPerType>, kDeviceTypeCount> backends{};
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

Backend* find(Device device) {
  if (Backend* backend = registry().slot(device).load(std::memory_order_acquire)) return backend;
  if (device.type == DeviceType::kGPU && plugin::load_once())
    return registry().slot(device).load(std::memory_order_acquire);
  return nullptr;
}

std::string why_missing(Device device) {
  if (device.type == DeviceType::kSimulated) return "no simulated device has been added";
  if (device.is_cpu()) return "there is one CPU device, /CPU:0";
  if (find(Device(device.type, 0)) != nullptr) return "there are fewer GPUs";
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

Tensor Tensor::to(Device wanted) const {
  require<FailedPreconditionError>(defined(), "tensor: it is not defined yet; it has no elements.");
  const Device target = usable(wanted);
  if (device() == target) return *this;
  require(dtype() != string, "tensor: strings stay on the CPU. Got {}, asked for {}.", spec(),
          target);
  const auto count = static_cast<size_t>(bytes());
  if (target.is_cpu()) {
    Tensor copy = uninitialized(spec());
    backend_of(device()).copy_to_host(copy.mutable_data(), data(), count);
    return copy;
  }
  if (!device().is_cpu()) return cpu().to(target);
  Backend& backend = backend_of(target);
  Tensor copy = uninitialized(spec(), backend);
  backend.copy_from_host(copy.mutable_data(), data(), count);
  return copy;
}

namespace config {

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
