#include "alula/backends/simulated/simulated.h"

#include "alula/backends/simulated/backend.h"
#include "alula/core/log.h"
#include "alula/runtime/devices.h"

namespace alula::simulated {
namespace {

SimulatedBackend& find(Device device) {
  require(device.type == DeviceType::kSimulated, "simulated: {} is not a simulated device.",
          device);
  return static_cast<SimulatedBackend&>(backend_of(device));
}

Device first_free() {
  int index = 0;
  for (Device device : config::list_physical_devices(DeviceType::kSimulated))
    if (device.index == index) ++index;
  return {DeviceType::kSimulated, index};
}

/// When the process ends, what is still on the queues is done first: it uses what ends after this.
struct AtExit {
  ~AtExit() {
    for (Device device : config::list_physical_devices(DeviceType::kSimulated)) {
      try {
        backend_of(device).synchronize();
      } catch (const std::exception& error) {
        logging::info("simulated: {} had an error when the process ended: {}", device,
                      error.what());
      }
    }
  }
};

}  // namespace

Device add(const Options& options) {
  require(options.memory_limit > 0, "simulated: the memory limit must be positive. Got {}.",
          options.memory_limit);
  static const AtExit at_exit;
  const Device device = first_free();
  add_backend(std::make_unique<SimulatedBackend>(device, options));
  return device;
}

void remove(Device device) {
  const int64_t in_use = find(device).memory().in_use;
  require<FailedPreconditionError>(
      in_use == 0,
      "simulated: {} cannot be removed: {} of its bytes are in use. Release its tensors.", device,
      in_use);
  remove_backend(device);
}

Statistics statistics(Device device) { return find(device).statistics(); }

}  // namespace alula::simulated
