#pragma once
#include "alula/graph/graph.h"
#include "alula/graph/passes.h"

namespace alula::graph {

/// Where the values of a graph are during a run. Slot 0 is the arena; what comes from outside or
/// goes there has a slot of its own.
struct Layout {
  struct Place {
    int slot = -1;
    size_t offset = 0;
  };

  Layout() = default;
  Layout(const Graph& graph, const PassOptions& options);
  Place& place(const Value& value) { return places[value.node][static_cast<size_t>(value.index)]; }
  const Place& place(const Value& value) const {
    return places[value.node][static_cast<size_t>(value.index)];
  }

  std::vector<std::vector<Place>> places;
  std::vector<bool> last;      // nodes that write over variables: they run when all else is done
  std::vector<Value> results;  // values with a tensor of their own, made for each run
  int first_result = 0;        // the slot of the first of them
  int slots = 1;
  size_t arena_bytes = 0;
  size_t least_bytes = 0;  // that any arena needs
};

/// The value whose elements this is: views have none of their own.
Value root_of(const Graph& graph, Value value);
bool is_view(const Node& node);
/// What is made by the same calls as in an eager run, between the lists of kernel calls: random
/// numbers, and what host code gives.
bool is_made(const Node& node);
/// The node that is a variable's value at the start of a run.
size_t node_of(const Graph& graph, const Variable& variable);

}  // namespace alula::graph
