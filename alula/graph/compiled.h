#pragma once
#include <memory>
#include <mutex>

#include "alula/graph/graph.h"
#include "alula/runtime/backend.h"

namespace alula::graph {

/// A graph made ready to run on the CPU: a flat list of kernel calls over one arena. A run infers
/// nothing, and makes no tensors but those that it returns, random ones, and what host code gives.
/// If it fails, every variable is as it was.
class Compiled {
 public:
  explicit Compiled(Graph graph);
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  /// Runs the graph on inputs of the specs that it was traced with.
  std::vector<Tensor> run(std::span<const Tensor> inputs);

  const Graph& graph() const { return graph_; }
  /// The bytes of the arena, and the least that it could have.
  size_t arena_bytes() const { return arena_bytes_; }
  size_t least_bytes() const { return least_bytes_; }

 private:
  /// Where a value is during a run.
  struct Place {
    int slot = -1;
    size_t offset = 0;
  };
  class Run;

  void find_lasts();
  void choose_in_place();
  void place_values();
  void place_in_arena();
  void make_steps();
  bool may_take_place_of(size_t i, size_t output, const Variable& variable) const;
  size_t node_of(const Variable& variable) const;
  Value root_of(Value value) const;
  bool is_view(const Node& node) const;
  bool is_drawn(const Node& node) const;
  Place& place(const Value& value) { return places_[value.node][static_cast<size_t>(value.index)]; }

  Graph graph_;
  std::vector<std::vector<Place>> places_;
  std::vector<size_t> lasts_;   // the last node that reads any output of a node
  std::vector<bool> in_place_;  // nodes that write over variables
  std::vector<bool> leaves_;    // nodes whose values go out
  std::vector<Value> results_;  // values with a tensor of their own, by slot
  int first_result_ = 0;        // its slot
  int slots_ = 1;               // the arena is slot 0
  size_t arena_bytes_ = 0, least_bytes_ = 0;
  std::unique_ptr<Executable> body_, updates_;
  std::mutex arena_mutex_;
  void* arena_ = nullptr;
};

}  // namespace alula::graph
