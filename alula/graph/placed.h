#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "alula/graph/compiled.h"
#include "alula/graph/trial.h"

namespace alula::graph {

/// Where work runs that has these inputs: where the scope says, else where they are.
Device place_of(TensorRefs inputs);

/// A graph that is compiled for each device that it runs on: where the scope says, else where its
/// inputs are; if those are on the CPU, where it is faster.
class Placed {
 public:
  /// `name` is who speaks in messages.
  explicit Placed(Graph graph, PassOptions options = {}, std::string name = "function")
      : graph_(std::move(graph)), options_(std::move(options)), name_(std::move(name)) {}

  Tensors run(TensorRefs inputs);
  /// What runs on a device. It stays as long as this does.
  Compiled& on(Device device) { return find(device).compiled; }
  /// Whether it is known that a run now, with inputs on the CPU, is there.
  bool stays_on_cpu() const;

 private:
  struct Version {
    Device device;
    Compiled compiled;
    Version(const Graph& graph, const PassOptions& options, Device device)
        : device(device), compiled(graph, options, device) {}
  };

  Version& find(Device device);
  Version& find_or_compile(Device device);
  Tensors run_on_trial(TensorRefs inputs);

  const Graph graph_;  // as it was traced
  const PassOptions options_;
  const std::string name_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Version>> versions_;
  std::atomic<Version*> latest_ = nullptr;  // the one that the last run used
  Trial trial_;
  std::mutex trial_mutex_;                             // held by the run that is timed
  std::atomic<bool> stays_on_cpu_ = trial_.decided();  // if nobody says where
};

}  // namespace alula::graph
