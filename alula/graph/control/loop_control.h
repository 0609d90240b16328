#pragma once
#include "alula/graph/control/control_op.h"
#include "alula/graph/control/history.h"
#include "alula/graph/control/loop.h"
#include "alula/graph/control/subgraph.h"

namespace alula::graph {

/// Elements of a source, or what is made of products.
struct LoopStream {
  std::vector<Spec> elements;
  bool listed = false;
};

/// What a loop is made of.
struct LoopParts {
  const char* name;
  std::vector<LoopStream> sources, products;
  std::vector<Spec> carried, captured;
  std::shared_ptr<const SubGraph> condition;  // (carried…, captured…) -> bool
  /// (elements…, carried…, captured…) -> (carried…, products' elements…, [another step], made…)
  std::shared_ptr<const SubGraph> step;
  int64_t length = kUnknown;  // how many steps, where it is known
  int64_t maximum_iterations = -1;
  bool reverse = false;
  bool keeps_history = true;

  size_t source_elements() const;
  size_t product_elements() const;
  /// Where what the step makes anew begins among its outputs.
  size_t made_at() const { return step->results(); }
};

/// Inputs: sources, carried, captured. Outputs: carried, products, and a list: what was carried
/// into each step, and what that made anew. A gradient computes the rest of a step again.
class Loop final : public Control {
 public:
  explicit Loop(LoopParts parts) : parts_(std::move(parts)) {}

  const char* name() const override { return parts_.name; }
  bool has_effects() const override {
    return parts_.step->has_effects() ||
           (parts_.condition != nullptr && parts_.condition->has_effects());
  }
  Specs infer(SpecRefs inputs) const override;
  Tensors run(TensorRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Attributes attributes() const override;
  std::shared_ptr<const Control> without_history() const override;

 private:
  LoopParts parts_;
};

}  // namespace alula::graph
