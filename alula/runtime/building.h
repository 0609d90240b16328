#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// A tracer for programs that first build a graph and then run it: while one is the tracer of a
/// thread, no op runs there. All are noted, even those whose inputs have their values already.
class GraphBuilder : public VariableTracer {
 public:
  /// Told of every call that was noted, with the symbolic tensors that stand for its outputs.
  virtual void noted(const Op& op, std::span<Tensor> outputs) = 0;
};

/// The builder of this thread, if there is one.
inline GraphBuilder* graph_builder() {
  return t_state.tracing() ? dynamic_cast<GraphBuilder*>(t_state.tracer) : nullptr;
}

}  // namespace alula
