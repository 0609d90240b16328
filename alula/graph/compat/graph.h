#pragma once
#include <cstdint>
#include <memory>
#include <string>

/// TensorFlow 1's way to work: build a graph first, then run parts of it in sessions.
namespace alula::compat::v1 {

namespace internal {
class GraphState;
}

class GraphScope;
struct GraphStatistics;

/// What get_variable does about a name.
enum class Reuse : uint8_t {
  kNo,    // a name that is taken is an error
  kYes,   // a name that is not taken is an error
  kAuto,  // the variable of that name, made if need be
};

/// What ops are added to while it is the default: a name space for them, and the variables that
/// they read. Copies are the same graph. One thread builds a graph at a time.
///   v1::Graph graph;
///   {
///     auto scope = graph.as_default();
///     c = matmul(a, b);                     // is not computed now
///   }
///   v1::Session session({.graph = graph});
///   session.run(c)
class Graph {
 public:
  Graph();

  /// Ops of this thread build this graph while what this returns lives.
  GraphScope as_default() const;
  /// The name itself within the current name scope, or with a number behind it if it is taken:
  /// "dense/matmul_1". It counts as taken from now on.
  std::string unique_name(const std::string& name) const;

  /// What the runs of its sessions took so far, by op.
  GraphStatistics statistics() const;

  bool same_as(const Graph& other) const { return state_ == other.state_; }
  internal::GraphState& state() const { return *state_; }

 private:
  std::shared_ptr<internal::GraphState> state_;
};

/// See Graph::as_default. Scopes of a thread end in the reverse order of their beginnings.
class [[nodiscard]] GraphScope {
 public:
  explicit GraphScope(const Graph& graph);
  ~GraphScope();
  GraphScope(const GraphScope&) = delete;
  GraphScope& operator=(const GraphScope&) = delete;
};

/// The graph of the innermost scope, else one that the thread always has.
Graph get_default_graph();
/// Gives the thread a new graph in place of that one. Not within a scope.
void reset_default_graph();

/// From here on, ops of this thread build the default graph, also outside of scopes; and back.
/// Before the first call, they run. (In TensorFlow this concerns the process, and cannot be taken
/// back.)
void disable_eager_execution();
void enable_eager_execution();
/// Whether ops of this thread run when they are called.
bool executing_eagerly();

/// Puts a name before those of the ops made while what this returns lives: "layer1/add".
class [[nodiscard]] NameScope {
 public:
  explicit NameScope(const std::string& name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  Graph graph_;
  std::string outer_;
};
inline NameScope name_scope(const std::string& name) { return NameScope(name); }

}  // namespace alula::compat::v1
