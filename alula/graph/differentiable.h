#pragma once
#include <memory>

#include "alula/graph/graph.h"

namespace alula::graph {

/// A graph as one call that a tape hears of: its forward run is compiled and keeps what the
/// gradient needs, and the gradient is compiled as well, for the inputs that it is asked for.
///   Differentiable square(trace([](const auto& in) { return std::vector{in[0] * in[0]}; },
///   specs)); GradientTape tape; tape.watch(x); Tensor y = square.run({&x})[0]; tape.gradient(y, x)
///   ->  2 * x
class Differentiable {
 public:
  /// Whether a graph can be run this way: not one whose shapes are known only when it runs, nor one
  /// that draws random numbers, has effects or calls host code. Those run op by op.
  static bool can_be(const Graph& graph);

  explicit Differentiable(const Graph& graph);
  ~Differentiable();
  Differentiable(const Differentiable&) = delete;
  Differentiable& operator=(const Differentiable&) = delete;

  /// What a run of the graph gives; variables are written. Threads may run at the same time.
  Tensors run(TensorRefs inputs) const;

 private:
  struct Parts;
  struct CallOp;
  std::shared_ptr<Parts> parts_;
};

}  // namespace alula::graph
