#pragma once
#include <memory>

#include "alula/graph/graph.h"

namespace alula::graph {

/// What a node that decides which graphs run, and how often, does. Such a node is a host op: what
/// comes before it has been computed when it runs, and its graphs are compiled for themselves.
class Control {
 public:
  virtual ~Control() = default;
  /// The function that users called.
  virtual const char* name() const = 0;
  /// Whether its graphs draw random numbers or have effects: then every call counts.
  virtual bool has_effects() const = 0;
  virtual Specs infer(SpecRefs inputs) const = 0;
  virtual Tensors run(TensorRefs inputs) const = 0;
  virtual Gradients gradient(const Recorded& call) const = 0;
  virtual Attributes attributes() const = 0;
  /// The same without its last output, which is there for gradients alone, being filled; null if
  /// that makes no difference.
  virtual std::shared_ptr<const Control> without_history() const { return nullptr; }
};

/// Calls it: now or, in a function that is being traced, as a node of that one's graph.
Tensors call_control(std::shared_ptr<const Control> control, std::span<const Tensor> inputs);

/// Lets no node keep what it would keep for a gradient that nobody takes.
void drop_histories(Graph& graph);

/// Checks that inputs are what graphs were traced with.
void check_inputs(const char* who, SpecRefs inputs, std::span<const Spec> wanted);
/// Whether something of this spec may stand where `declared` is: as it, where its dimensions are
/// known.
bool fits(const Spec& declared, const Spec& got);

}  // namespace alula::graph
