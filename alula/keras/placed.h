#pragma once
#include "alula/graph/trial.h"
#include "alula/keras/model.h"
#include "alula/keras/walk.h"
#include "alula/runtime/devices.h"

namespace alula::keras {

/// As many steps as are put on a device's queue at once where nothing is to be done between them.
constexpr int64_t kInARow = 32;

/// Runs steps whose batches are picked from all the data, where that is faster.
class Placed {
 public:
  /// The device is the scope's, or that of the weights; else it is found out.
  explicit Placed(const Model& model) {
    if (t_state.flags & ThreadState::kDeviceScope)
      device_ = t_state.device;
    else
      device_ = model.impl().state().device;
    tries_ = device_.is_cpu() && !(t_state.flags & ThreadState::kDeviceScope);
  }
  /// The device to keep data for; the CPU: none.
  Device wanted() const {
    if (!tries_ || trial_.decided()) return device_;
    return config::list_physical_devices(DeviceType::kGPU)[0];
  }

  struct Turn {
    int64_t most = 1;   // steps
    bool timed = true;  // whether it tells which device is faster
  };
  /// Runs steps in a row; the first one's positions are given. `on_cpu` runs a batch, `there`
  /// several, on a device. The number of steps.
  template <class OnCpu, class There>
  int64_t execute(const Turn& turn, Walk& walk, Batch& batch, OnCpu on_cpu, There there) {
    const Device place = tries_ ? trial_.place() : device_;
    const bool timed = turn.timed && tries_ && !trial_.decided();
    const auto start = graph::Trial::Clock::now();
    const DeviceScope scope(place);
    int64_t count = 0;
    std::vector<Tensor> positions;
    const auto run = [&] {
      if (!positions.empty()) there(walk.data_on(place), positions);
      positions.clear();
    };
    do {
      ++count;
      Tensor next = std::move(batch.x[0]);
      if (place.is_cpu()) {
        on_cpu(walk.batch_at(next));
        continue;
      }
      if (!positions.empty() && positions[0].shape() != next.shape()) run();
      positions.push_back(std::move(next));
    } while (count < turn.most && walk.next(batch));
    run();
    if (timed) {
      if (!place.is_cpu()) backend_of(place).synchronize();
      trial_.took(graph::Trial::Clock::now() - start, count);
    }
    return count;
  }

 private:
  Device device_;
  bool tries_ = false;
  graph::Trial trial_;
};

}  // namespace alula::keras
