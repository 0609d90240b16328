#include "alula/graph/trial.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "alula/core/log.h"
#include "alula/graph/trial_device.h"
#include "alula/runtime/devices.h"

namespace alula::graph {
namespace {

/// Below this, a launch and a copy take longer than the CPU does.
constexpr double kWorthTrying = 30;  // us
/// The first run on a device finds nothing prepared; it is not counted.
constexpr int kRuns = 4;

/// What a test has put into the GPU's place.
class Replacement {
 public:
  void set(std::optional<Device> device) {
    const std::lock_guard lock(mutex_);
    device_ = device;
  }
  std::optional<Device> get() {
    const std::lock_guard lock(mutex_);
    return device_;
  }

 private:
  std::mutex mutex_;
  std::optional<Device> device_;
};
Replacement g_replacement;

/// Makes the context by asking for some memory.
class WarmUp {
 public:
  explicit WarmUp(Device device)
      : thread_([this, device] {
          try {
            Backend& backend = backend_of(device);
            backend.release(backend.allocate(1), 1);
            ready_ = true;
          } catch (const std::exception& error) {
            logging::info("GPU: it is not used: {}", error.what());
          }
        }) {}
  ~WarmUp() { thread_.join(); }
  bool ready() const { return ready_; }

 private:
  std::atomic<bool> ready_ = false;
  std::thread thread_;
};

}  // namespace

std::optional<Device> trial_device() {
  if (const std::optional<Device> other = g_replacement.get()) return other;
  // Asked for each time: it may have been hidden meanwhile.
  const std::vector<Device> gpus = config::list_physical_devices(DeviceType::kGPU);
  return gpus.empty() ? std::nullopt : std::optional(gpus[0]);
}

TrialDevice::TrialDevice(Device device) { g_replacement.set(device); }
TrialDevice::~TrialDevice() { g_replacement.set(std::nullopt); }

std::optional<Device> warm_gpu() {
  const std::optional<Device> device = trial_device();
  if (!device.has_value() || g_replacement.get().has_value()) return device;
  static WarmUp warm_up(*device);
  return warm_up.ready() ? device : std::nullopt;
}

Trial::Trial() {
  if (!trial_device().has_value()) phase_ = Phase::kDecided;
}

void Trial::stay_on_cpu() {
  phase_ = Phase::kDecided;
  place_ = kCPU;
}

void Trial::took(Clock::duration time, int64_t runs) {
  const double us =
      std::chrono::duration<double, std::micro>(time).count() / static_cast<double>(runs);
  const auto shortest = [&](double& kept) {
    if (runs_ > 0) kept = runs_ == 1 ? us : std::min(kept, us);
    return ++runs_ >= kRuns;
  };
  switch (phase_) {
    case Phase::kCpu:
      if (!shortest(cpu_us_)) return;
      if (cpu_us_ < kWorthTrying) return stay_on_cpu();
      phase_ = Phase::kWaiting;
      [[fallthrough]];
    case Phase::kWaiting:
      if (!warm_gpu().has_value()) return;
      phase_ = Phase::kGpu;
      place_ = *warm_gpu();
      runs_ = 0;
      return;
    case Phase::kGpu:
      if (!shortest(gpu_us_)) return;
      phase_ = Phase::kDecided;
      if (cpu_us_ <= gpu_us_) place_ = kCPU;
      logging::info("function: {:.0f} us on the CPU, {:.0f} us on the GPU: it runs on {}.", cpu_us_,
                    gpu_us_, place_);
      return;
    case Phase::kDecided: return;
  }
}

}  // namespace alula::graph
