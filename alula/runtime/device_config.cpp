#include "alula/runtime/device_config.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "alula/runtime/devices.h"

namespace alula::config {
namespace {

struct Configured {
  std::mutex mutex;
  std::map<std::string, std::vector<LogicalDeviceConfiguration>> devices;
};

Configured& configured() {
  static auto* configured = new Configured;
  return *configured;
}

/// "1", not "" or "0".
bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

std::atomic<bool>& synchronous() {
  static std::atomic<bool> synchronous = is_set("ALULA_SYNC");
  return synchronous;
}

}  // namespace

void set_logical_device_configuration(Device device,
                                      const std::vector<LogicalDeviceConfiguration>& logical) {
  constexpr const char* kName = "set_logical_device_configuration";
  constexpr int64_t kMost = int64_t{1} << 40;  // in MiB, far beyond any device
  require(logical.size() <= 1, "{}: a device cannot be divided. Got {} parts of {}.", kName,
          logical.size(), device);
  const int64_t limit = logical.empty() ? 0 : logical[0].memory_limit;
  require(limit >= 0 && limit < kMost,
          "{}: memory_limit must be a number of MiB above 0, or 0 for no limit. Got {}.", kName,
          limit);
  Configured& all = configured();
  const std::lock_guard lock(all.mutex);
  if (limit > 0) backend_of(device).limit_memory(limit << 20);
  all.devices[to_string(device)] = logical;
}

std::vector<LogicalDeviceConfiguration> get_logical_device_configuration(Device device) {
  Configured& all = configured();
  const std::lock_guard lock(all.mutex);
  const auto found = all.devices.find(to_string(device));
  return found == all.devices.end() ? std::vector<LogicalDeviceConfiguration>() : found->second;
}

MemoryUse get_memory_info(Device device) {
  const MemoryInfo info = backend_of(device).memory();
  return {.current = info.in_use, .peak = info.peak};
}

void reset_memory_stats(Device device) { backend_of(device).reset_peak(); }

void empty_cache(Device device) { backend_of(device).give_back_cache(); }

void set_synchronous_execution(bool enabled) { synchronous() = enabled; }
bool get_synchronous_execution() { return synchronous(); }

}  // namespace alula::config
