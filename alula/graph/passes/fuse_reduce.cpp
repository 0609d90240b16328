#include <optional>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/elementwise_reduce.h"
#include "alula/scalar/compose.h"

namespace alula::graph {
namespace {

using Kind = ElementwiseReduce::Kind;

struct Reduction {
  Kind kind;
  ReduceOptions options;
};

/// What a node reduces by, if it does.
std::optional<Reduction> reduction_of(const Node& node) {
  if (const auto* op = op_as<ReduceSum>(node)) return Reduction{Kind::kSum, *op};
  if (const auto* op = op_as<ReduceMean>(node)) return Reduction{Kind::kMean, *op};
  if (const auto* op = op_as<ReduceProd>(node)) return Reduction{Kind::kProd, *op};
  if (const auto* op = op_as<ReduceMax>(node)) return Reduction{Kind::kMax, *op};
  if (const auto* op = op_as<ReduceMin>(node)) return Reduction{Kind::kMin, *op};
  return {};
}

/// The program of an elementwise op, with its parameters as constants, under the name of both.
const scalar::Program& program_of(const ElementwiseOp& op, const Node& reduction) {
  scalar::Builder builder;
  std::vector<scalar::Scalar> inputs;
  for (DType dtype : op.program().inputs()) inputs.push_back(builder.input(dtype));
  const auto results = scalar::inlined(builder, op.program(), inputs, op.parameters);
  return scalar::interned(
      builder.finish(fmt::format("{}+{}", op.name(), reduction.op->name()), results));
}

}  // namespace

/// Makes one op of an elementwise op and the reduction that alone reads it: its elements are added
/// up where they are made.
void fuse_reduce(Graph& graph) {
  const Readers readers(graph);
  const size_t count = graph.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    const std::optional<Reduction> reduction = reduction_of(graph.nodes[i]);
    if (!reduction) continue;
    const Value reduced = graph.nodes[i].inputs[0];
    const Node& node = graph.nodes[reduced.node];
    const auto* op = op_as<ElementwiseOp>(node);
    if (op == nullptr || op->program().can_fail() || node.outputs.size() != 1 ||
        !ElementwiseReduce::kDTypes.contains(node.outputs[0].dtype) || readers.count(reduced) != 1)
      continue;
    const ElementwiseReduce fused(program_of(*op, graph.nodes[i]), reduction->kind,
                                  reduction->options);
    replace(graph, {i, 0}, add_node(graph, fused, std::vector<Value>(node.inputs)));
  }
}

}  // namespace alula::graph
