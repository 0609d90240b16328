#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "alula/graph/layout.h"
#include "alula/runtime/backend.h"

namespace alula::graph {

/// An optimised graph of known shapes, made ready to run on another device than the CPU: one list
/// of kernel calls, on a GPU one captured graph, or several where host code comes in between.
///
/// What the host makes before the kernels run (learning rates, the keys of random numbers) is
/// written into one block of the device's memory, the feed. Several runs in a row are one list with
/// as many feeds: nothing then happens between them. Addresses stay the same from run to run, as
/// far as it is possible, since they are fixed when a graph is captured.
class OnDevice {
 public:
  OnDevice(const Graph& graph, const PassOptions& options, Device device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  /// Runs the graph so many times on the same inputs; returns what the last one gives. If it fails,
  /// every variable is as it was. `firsts` gets the first output of each run, if that is a number:
  /// tensors whose rows begin with one each, in order.
  Tensors run(TensorRefs inputs, int64_t times = 1, std::vector<Tensor>* firsts = nullptr);

  /// The graph, with what the host computes of it marked.
  const Graph& graph() const { return graph_; }
  Device device() const { return device_; }
  /// Whether it is one list: nothing on the host waits for something on the device.
  bool is_whole() const { return stages_.size() <= 1; }

 private:
  struct Stage {
    std::vector<size_t> made;  // nodes that the host makes, in order
    std::vector<Step> steps;   // then kernels
    std::unique_ptr<Executable> list;
  };
  class HostValues;

  void place_feed();
  void sort_nodes();
  Step step_of(size_t i) const;
  Operand operand_of(const Value& value) const;
  std::vector<Step> repeated(const std::vector<Step>& steps, int64_t times) const;
  Executable& list_of(Stage& stage, int64_t times);

  void bind_inputs(TensorRefs inputs);
  void bind_variables();
  void bind_results();
  void run_whole(int64_t times, std::vector<Tensor>* firsts);
  void run_in_stages(std::vector<Tensor>* firsts);
  void find_first_output();
  size_t history_bytes() const;
  void update_host_variables();
  void make(size_t i, HostValues& values);
  void feed(const Stage& stage, HostValues& values, std::byte* to);
  Tensor tensor_of(const Value& value);
  Tensors outputs(HostValues& values);

  void* address(const Tensor& tensor) { return const_cast<void*>(tensor.data()); }
  Tensor& held(int slot) { return held_[static_cast<size_t>(slot)]; }
  void hold(int slot, Tensor tensor);

  Graph graph_;
  Device device_;
  Backend& backend_;
  std::vector<int> stage_of_;  // by node
  Layout layout_;
  int feed_slot_ = 0;
  std::vector<size_t> feed_offsets_;  // by node: where its outputs begin
  size_t feed_bytes_ = 0;             // of one run
  size_t feed_room_ = 0;              // of as many as there may be in a row
  int64_t most_runs_ = 1;
  int first_slot_ = -1;  // of the first output, if it is kept of each run
  int history_slot_ = 0;
  std::vector<Variable> host_variables_;
  std::vector<std::pair<Variable, Value>> host_updates_;
  std::vector<size_t> inputs_, variables_;  // nodes
  std::vector<Stage> stages_;
  std::map<int64_t, std::unique_ptr<Executable>> lists_;  // of the only stage, by number of runs

  std::mutex mutex_;  // one run at a time
  std::vector<void*> slots_;
  std::vector<Tensor> held_;  // by slot
  std::vector<bool> moves_;   // by input: whether it has been seen at two addresses in a short time
  std::vector<int64_t> stayed_;  // by input: for how many runs it has been at its address
  std::unique_ptr<HostValues> values_;
};

}  // namespace alula::graph
