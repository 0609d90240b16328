#pragma once
#include "alula/backends/simulated/simulated.h"
#include "alula/runtime/devices.h"

namespace alula::testing {

/// The first simulated device, added if there is none yet.
inline Device sim() {
  if (config::list_physical_devices(DeviceType::kSimulated).empty()) simulated::add();
  return {DeviceType::kSimulated, 0};
}

}  // namespace alula::testing
