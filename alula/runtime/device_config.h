#pragma once
#include <vector>

#include "alula/core/device.h"

/// How devices are used: their memory, and whether their work is waited for.
namespace alula::config {

/// Hides GPUs: from now on there are only these, which must be the first ones, or none.
/// FailedPreconditionError if one that is to be hidden has tensors.
///   config::set_visible_devices({}, DeviceType::kGPU);  // as if there were no GPU
void set_visible_devices(const std::vector<Device>& devices, DeviceType type);

/// What may be used of a device.
struct LogicalDeviceConfiguration {
  int64_t memory_limit = 0;  // MiB; 0: as much as there is
};

/// Limits the memory that tensors take of a device. FailedPreconditionError once there are some. A
/// device cannot be divided: it has one configuration.
///   config::set_logical_device_configuration("/GPU:0", {{.memory_limit = 4096}});
void set_logical_device_configuration(Device device,
                                      const std::vector<LogicalDeviceConfiguration>& logical);
/// What was set; nothing if nothing was.
std::vector<LogicalDeviceConfiguration> get_logical_device_configuration(Device device);

/// Bytes of a device's memory that tensors have, and the most that they had.
struct MemoryUse {
  int64_t current = 0;
  int64_t peak = 0;
};
MemoryUse get_memory_info(Device device);
/// Counts the peak anew, from what is in use now.
void reset_memory_stats(Device device);

/// Gives memory that is kept for later tensors back to the system, for others to use. (It is given
/// back by itself before a request fails.)
void empty_cache(Device device);

/// Whether each op of a GPU is waited for, also inside compiled functions, so that a fault is
/// reported with the name of its op. Slow; for finding errors. ALULA_SYNC=1 in the environment
/// switches it on from the start.
void set_synchronous_execution(bool enabled);
bool get_synchronous_execution();

}  // namespace alula::config
