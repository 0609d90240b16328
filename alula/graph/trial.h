#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "alula/core/device.h"

namespace alula::graph {

/// Where work runs of which nobody has said where: on whichever of the CPU and the GPU turns out to
/// be faster. Its first runs are timed, each of which does what it has to do anyway: some on the
/// CPU, then, if they take long enough for a GPU to pay, some on the GPU; from then on all run on
/// the faster.
class Trial {
 public:
  using Clock = std::chrono::steady_clock;

  /// Decided for the CPU from the start, where there is no GPU.
  Trial();

  /// Whether it is known where work runs.
  bool decided() const { return phase_ == Phase::kDecided; }
  /// Where the next run is to be.
  Device place() const { return place_; }
  /// Told of each run until it is decided: `runs` of them took so long, all that they put on a
  /// queue included.
  void took(Clock::duration time, int64_t runs = 1);
  /// The GPU cannot do it.
  void stay_on_cpu();

 private:
  enum class Phase : uint8_t { kCpu, kWaiting, kGpu, kDecided };

  Phase phase_ = Phase::kCpu;
  Device place_ = kCPU;
  int runs_ = 0;  // in this phase
  double cpu_us_ = 0, gpu_us_ = 0;
};

/// The first GPU, if there is one and its context is made. If it is not, a thread begins with it:
/// it takes some tenths of a second, in which nobody waits.
std::optional<Device> warm_gpu();

}  // namespace alula::graph
