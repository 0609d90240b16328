#include "alula/graph/placed.h"

#include <algorithm>

#include "alula/core/log.h"
#include "alula/runtime/devices.h"

namespace alula::graph {

Device place_of(TensorRefs inputs) {
  if (t_state.flags & ThreadState::kDeviceScope) return t_state.device;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].device().is_cpu()) return inputs[i].device();
  return kCPU;
}

bool Placed::stays_on_cpu() const {
  if (t_state.flags & ThreadState::kDeviceScope) return t_state.device.is_cpu();
  return stays_on_cpu_.load(std::memory_order_relaxed);
}

Placed::Version& Placed::find(Device device) {
  Version* latest = latest_.load(std::memory_order_acquire);
  return latest != nullptr && latest->device == device ? *latest : find_or_compile(device);
}

Placed::Version& Placed::find_or_compile(Device device) {
  const std::lock_guard lock(mutex_);
  auto found = std::find_if(versions_.begin(), versions_.end(),
                            [&](const auto& version) { return version->device == device; });
  if (found == versions_.end()) {
    versions_.push_back(std::make_unique<Version>(graph_, options_, device));
    found = versions_.end() - 1;
  }
  latest_.store(found->get(), std::memory_order_release);
  return **found;
}

Tensors Placed::run(TensorRefs inputs) {
  const Device device = place_of(inputs);
  if (device.is_cpu() && !stays_on_cpu()) [[unlikely]]
    return run_on_trial(inputs);
  return find(device).compiled.run(inputs);
}

Tensors Placed::run_on_trial(TensorRefs inputs) {
  const std::unique_lock lock(trial_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return on(kCPU).run(inputs);  // several threads: nothing is timed
  using Clock = Trial::Clock;
  const Device place = trial_.place();
  if (place.is_cpu()) {
    Compiled& compiled = on(kCPU);
    const Clock::time_point start = Clock::now();
    Tensors results = compiled.run(inputs);
    trial_.took(Clock::now() - start);
    stays_on_cpu_ = trial_.decided() && trial_.place().is_cpu();
    return results;
  }
  try {
    const DeviceScope scope(place);
    Compiled& compiled = on(place);
    const Clock::time_point start = Clock::now();
    Tensors results = compiled.run(inputs);
    if (!trial_.decided()) {
      backend_of(place).synchronize();
      trial_.took(Clock::now() - start);
      stays_on_cpu_ = trial_.decided() && trial_.place().is_cpu();
    }
    return results;
  } catch (const ResourceExhaustedError& error) {
    // Nobody has asked for that device, and nothing has been changed there.
    logging::info("{}: it stays on the CPU: {}", name_, error.what());
    trial_.stay_on_cpu();
    stays_on_cpu_ = true;
  }
  return on(kCPU).run(inputs);
}

}  // namespace alula::graph
