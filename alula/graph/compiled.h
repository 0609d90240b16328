#pragma once
#include <memory>
#include <mutex>

#include "alula/graph/layout.h"
#include "alula/graph/on_device.h"

namespace alula::graph {

/// A graph optimised and made ready to run on a device. On the CPU: flat lists of kernel calls over
/// one arena, and the calls of host code between them; elsewhere as on_device.h says. A run infers
/// nothing, and makes no tensors but those that it returns, random ones, and what host code takes
/// and gives. If it fails, every variable is as it was. A graph with unknown dimensions is not
/// optimised, and runs node by node.
class Compiled {
 public:
  explicit Compiled(Graph graph, const PassOptions& options = {}, Device device = kCPU);
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  /// Runs the graph on inputs of the specs that it was traced with.
  Tensors run(TensorRefs inputs);
  /// Runs it so many times on the same inputs; returns what the last run gives. `firsts`: as
  /// OnDevice::run has it.
  Tensors run_times(TensorRefs inputs, int64_t times, std::vector<Tensor>* firsts = nullptr);

  /// The graph as it runs.
  const Graph& graph() const { return on_device_ != nullptr ? on_device_->graph() : graph_; }
  Device device() const { return on_device_ != nullptr ? on_device_->device() : kCPU; }
  /// Whether several runs in a row are done sooner than one by one.
  bool gains_by_repeating() const { return on_device_ != nullptr && on_device_->is_whole(); }
  /// The bytes of the arena, and the least that any could have.
  size_t arena_bytes() const { return layout_.arena_bytes; }
  size_t least_bytes() const { return layout_.least_bytes; }

 private:
  /// What a run works with. Kept from run to run; a second run at the same time has its own.
  struct Room {
    std::vector<void*> slots;
    std::vector<Tensor> held;  // by slot, where there is a tensor
    void* arena = nullptr;
  };
  class Run;

  Room make_room() const;
  void release(Room& room) const;
  void sort_nodes();
  void make_steps();

  bool by_node_;
  std::unique_ptr<OnDevice> on_device_;  // where it runs, if not on the CPU
  Graph graph_;
  std::vector<int> stage_of_;  // by node
  Layout layout_;
  // The nodes that a run has to do with one by one.
  struct Leaf {
    size_t node;
    int slot;
  };
  std::vector<Leaf> inputs_, constants_, variables_;
  std::vector<bool> leaves_;  // slots whose tensors are given out, or to host code
  /// What host code makes, then what kernels compute.
  struct Stage {
    std::vector<size_t> made;  // nodes
    std::unique_ptr<Executable> body;
  };
  std::vector<Stage> stages_;
  std::unique_ptr<Executable> updates_;
  std::mutex mutex_;  // held by the run that uses room_
  Room room_;
};

}  // namespace alula::graph
