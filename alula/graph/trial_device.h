#pragma once
#include <optional>

#include "alula/core/device.h"

namespace alula::graph {

/// The device that work is tried on beside the CPU: the first GPU, if there is one.
std::optional<Device> trial_device();

/// Another device in the GPU's place as long as it lives, ready at once: for tests.
class TrialDevice {
 public:
  explicit TrialDevice(Device device);
  ~TrialDevice();
  TrialDevice(const TrialDevice&) = delete;
  TrialDevice& operator=(const TrialDevice&) = delete;
};

}  // namespace alula::graph
