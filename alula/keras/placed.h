#pragma once
#include <optional>

#include "alula/core/log.h"
#include "alula/graph/trial.h"
#include "alula/graph/trial_device.h"
#include "alula/keras/model.h"
#include "alula/keras/pace.h"
#include "alula/keras/walk.h"
#include "alula/runtime/devices.h"

namespace alula::keras {

/// Runs steps whose batches are picked from all the data, where that is faster.
class Placed {
 public:
  /// The device is the scope's, or that of the weights; else it is found out.
  explicit Placed(const Model& model) : model_(model), device_(home()) {
    tries_ = device_.is_cpu() && !(t_state.flags & ThreadState::kDeviceScope);
  }
  /// Where steps run now, as far as it is known.
  Device home() const {
    return t_state.flags & ThreadState::kDeviceScope ? t_state.device
                                                     : model_.impl().state().device;
  }
  /// The device to keep data for; the CPU: none.
  Device wanted() const {
    if (!tries_ || trial_.decided()) return device_;
    return *graph::trial_device();
  }

  /// Whether it was found out that the CPU is faster.
  bool stays_on_cpu() const { return tries_ && trial_.decided() && trial_.place().is_cpu(); }

  struct Turn {
    Pace& pace;
    int64_t least = 1;    // steps
    bool watched = true;  // whether there are no more, because something is to be done behind them
    bool timed = true;    // whether it tells which device is faster
  };
  /// Runs steps in a row; the first one's picks are given. `one` runs a batch, `there` several, on
  /// a device. The number of steps.
  template <class One, class There>
  int64_t execute(const Turn& turn, Walk& walk, Batch& batch, One one, There there) {
    const Device place = tries_ ? trial_.place() : device_;
    const bool tried = turn.timed && tries_ && !trial_.decided();
    const bool timed = tried || (!turn.watched && !place.is_cpu() && turn.pace.is_looking());
    // A device is tried with as many steps as it may come to have in a launch.
    constexpr int64_t kTried = 32;
    const int64_t most = turn.watched || place.is_cpu()
                             ? turn.least
                             : std::max(turn.least, tried ? kTried : turn.pace.steps());
    const DeviceScope scope(place);
    if (timed && !tried) backend_of(place).synchronize();
    const auto start = graph::Trial::Clock::now();
    int64_t count = 0;
    std::vector<data::Picks> picks;
    const auto run = [&] {
      if (picks.empty()) return;
      std::optional<DeviceScope> cpu;
      try {
        if (!one_by_one_) {
          there(walk.data_on(place), picks);
          return picks.clear();
        }
      } catch (const FailedPreconditionError&) {  // a step looks at values
        one_by_one_ = true;
      } catch (const ResourceExhaustedError& error) {
        // Nobody has asked for that device, and it has not begun with the first of these steps.
        if (!tries_) throw;
        logging::info("fit: it stays on the CPU: {}", error.what());
        trial_.stay_on_cpu();
        cpu.emplace(kCPU);
      }
      for (const data::Picks& at : picks) one(walk.batch_at(at));
      picks.clear();
    };
    do {
      ++count;
      data::Picks next = std::move(batch.x);
      if (place.is_cpu()) {
        one(walk.batch_at(next));
        continue;
      }
      if (!picks.empty() && picks[0][0].shape() != next[0].shape()) run();
      picks.push_back(std::move(next));
    } while (count < most && walk.next(batch));
    run();
    if (timed) {
      if (!place.is_cpu()) backend_of(place).synchronize();
      const auto time = graph::Trial::Clock::now() - start;
      if (tried) trial_.took(time, count);
      if (!place.is_cpu() && !turn.watched && !tried) turn.pace.took(time, count);
    }
    return count;
  }

  Pace training, testing;

 private:
  Model model_;
  Device device_;
  bool tries_ = false;
  bool one_by_one_ = false;  // steps cannot be compiled for data on a device
  graph::Trial trial_;
};

}  // namespace alula::keras
