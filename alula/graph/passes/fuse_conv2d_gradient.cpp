#include <algorithm>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/conv2d_fused.h"
#include "alula/ops/conv2d_gradients_at.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/reduce.h"
#include "alula/scalar/compose.h"

namespace alula::graph {
namespace {

/// Whether a node is the sum of each channel.
bool sums_channels(const Graph& graph, const Node& node) {
  const auto* op = op_as<ReduceSum>(node);
  if (op == nullptr || op->keepdims || graph.spec(node.inputs[0]).rank() != 4) return false;
  const auto summed = op->axis.among(op->kName, 4);
  return summed[0] && summed[1] && summed[2] && !summed[3];
}

/// Takes the sum of the values into one gradient, and then the function that makes them.
class FuseGradient {
 public:
  FuseGradient(Graph& graph, size_t node)
      : graph_(graph), node_(node), values_(graph.nodes[node].inputs[1]), readers_(graph) {}

  /// Returns whether anything was taken in.
  bool operator()() {
    Conv2DFilterGradientAt op = *op_as<Conv2DFilterGradientAt>(graph_.nodes[node_]);
    if (op.bias || op.prologue != nullptr) return false;
    std::vector<size_t> sums;
    for (size_t reader : readers_.of(values_))
      if (sums_channels(graph_, graph_.nodes[reader])) sums.push_back(reader);
    op.bias = !sums.empty();
    std::vector<Value> inputs = graph_.nodes[node_].inputs;
    if (is_only_read_here(sums)) take_function(op, inputs);
    if (!op.bias && op.prologue == nullptr) return false;
    const Value fused = add_node(graph_, op, inputs);
    replace(graph_, {node_, 0}, fused);
    for (size_t sum : sums) replace(graph_, {sum, 0}, {fused.node, 1});
    return true;
  }

 private:
  bool is_only_read_here(const std::vector<size_t>& sums) const {
    const auto readers = readers_.of(values_);
    return !readers_.leaves(values_) &&
           std::all_of(readers.begin(), readers.end(), [&](size_t reader) {
             return reader == node_ || std::find(sums.begin(), sums.end(), reader) != sums.end();
           });
  }

  void take_function(Conv2DFilterGradientAt& op, std::vector<Value>& inputs) const {
    const Node& node = graph_.nodes[values_.node];
    const auto* function = op_as<ElementwiseOp>(node);
    if (function == nullptr || function->program().can_fail() || node.outputs.size() != 1) return;
    const Spec& values = graph_.spec(values_);
    // The program's first input must lie like the values.
    const auto first = std::find_if(node.inputs.begin(), node.inputs.end(),
                                    [&](const Value& v) { return graph_.spec(v) == values; });
    if (first == node.inputs.end()) return;
    for (const Value& input : node.inputs)
      if (!fits_pixels(graph_.spec(input).shape, values.shape)) return;
    op.prologue = &program(*function, static_cast<size_t>(first - node.inputs.begin()));
    inputs[1] = *first;
    for (auto input = node.inputs.begin(); input != node.inputs.end(); ++input)
      if (input != first) inputs.push_back(*input);
  }

  /// The function's program with its parameters, and one of its inputs first.
  static const scalar::Program& program(const ElementwiseOp& op, size_t first) {
    scalar::Builder builder;
    const std::vector<DType>& dtypes = op.program().inputs();
    const scalar::Scalar leading = builder.input(dtypes[first]);
    std::vector<scalar::Scalar> inputs;
    for (size_t i = 0; i < dtypes.size(); ++i)
      inputs.push_back(i == first ? leading : builder.input(dtypes[i]));
    const auto results = scalar::inlined(builder, op.program(), inputs, op.parameters);
    return scalar::interned(builder.finish(op.name(), results));
  }

  Graph& graph_;
  size_t node_;
  Value values_;
  Readers readers_;
};

}  // namespace

/// Lets the gradient of a max-pooled convolution's filter sum up the bias's gradient on the way,
/// and compute the activation's where nobody else reads that.
void fuse_conv2d_gradient(Graph& graph) {
  const size_t count = graph.nodes.size();  // nodes stay where they are
  for (size_t i = 0; i < count; ++i)
    if (op_as<Conv2DFilterGradientAt>(graph.nodes[i]) != nullptr) FuseGradient(graph, i)();
}

}  // namespace alula::graph
