#pragma once
#include <unordered_map>
#include <vector>

#include "alula/graph/compat/graph.h"
#include "alula/graph/compat/statistics.h"
#include "alula/runtime/building.h"
#include "alula/runtime/variable.h"

/// What the files of this folder share, and users don't see.
namespace alula::compat::v1::internal {

/// What is known of a tensor of a graph: attached to it as a note.
struct Named : Note {
  uint64_t graph = 0;  // its number
  std::string name;
  Device device;        // where it shall be computed,
  bool placed = false;  // if that was said
};

/// A tensor that is to be fed.
struct PlaceholderNote final : Named {};

/// A tensor that stands for a variable's value: a graph's own variable, of which each session has
/// its own value, or one that was made eagerly and has its value itself.
struct VariableNote final : Named {
  alula::Variable eager;  // defined if it was made eagerly
  Tensor initial_value;
  bool trainable = true;
};

/// A graph under construction. It does not keep the ops: tensors lead to what they are made of.
class GraphState final : public GraphBuilder {
 public:
  GraphState();
  uint64_t number() const { return number_; }

  // What dispatch and variables ask of a thread that builds.
  void noted(const Op& op, std::span<Tensor> outputs) override;
  Tensor read(const alula::Variable& variable) override;
  void assign(const alula::Variable& variable, const Tensor& value) override;

  std::string unique_name(const std::string& name);
  /// Fills in the fields of a note of this graph.
  void describe(Named& note, std::string name) const;

  /// From here on, assignments to eager variables are noted, and later reads see them; until they
  /// are asked for.
  void note_assignments();
  std::vector<Tensor> noted_assignments();

  Tallies tallies;  // what its sessions' runs took

  std::string name_scope;         // ends in "/" unless it is empty
  std::string variable_scope;     // likewise
  Reuse reuse = Reuse::kNo;       // of the variable scope
  std::vector<Tensor> variables;  // the graph's own, in the order in which they were made

 private:
  uint64_t number_;
  std::unordered_map<std::string, int> names_;      // how often each was asked for
  std::unordered_map<const void*, Tensor> reads_;   // of eager variables
  std::unordered_map<const void*, Tensor> newest_;  // of those, what has been assigned
  bool noting_ = false;
  std::vector<Tensor> assignments_;
};

/// While one lives, ops of its thread build this graph, whatever scopes there are; if it is none,
/// they run.
class Building {
 public:
  explicit Building(GraphState* state);
  ~Building();
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

 private:
  VariableTracer* outer_;
};

}  // namespace alula::compat::v1::internal
