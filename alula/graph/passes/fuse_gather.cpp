#include <algorithm>

#include "alula/graph/edit.h"
#include "alula/graph/layout.h"
#include "alula/graph/passes.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/gather_elementwise.h"
#include "alula/ops/matmul_elementwise.h"
#include "alula/ops/reshape.h"
#include "alula/scalar/compose.h"

namespace alula::graph {
namespace {

/// Makes one op of a gather and the elementwise op that alone reads what it picks, as it is or in
/// another shape.
class Fusion {
 public:
  Fusion(Graph& graph, const Readers& readers, size_t node)
      : graph_(graph), readers_(readers), node_(node) {
    const auto* op = op_as<ElementwiseOp>(graph.nodes[node]);
    if (op == nullptr || op->program().can_fail() || writes_variable()) return;
    const std::vector<Value>& inputs = graph.nodes[node].inputs;
    for (size_t k = 0; k < inputs.size() && !found_; ++k) {
      picked_ = inputs[k];
      gather_ = root_of(graph, picked_);
      found_ = is_gather() && is_read_here_alone() && others_fit();
    }
  }

  void operator()() const {
    if (!found_) return;
    const Node node = graph_.nodes[node_], gather = graph_.nodes[gather_.node];
    std::vector<Value> inputs = gather.inputs;
    for (const Value& input : node.inputs)
      if (input != picked_) inputs.push_back(reshaped(input, operand_shape(input)));
    const Value fused =
        add_node(graph_, GatherElementwise(*op_as<Gather>(gather), program(gather, node)), inputs);
    for (int k = 0; k < static_cast<int>(node.outputs.size()); ++k)
      replace(graph_, {node_, k}, reshaped({fused.node, k}, node.outputs[0].shape));
  }

 private:
  const Shape& results() const { return graph_.nodes[node_].outputs[0].shape; }
  const Shape& gathered() const { return graph_.spec(gather_).shape; }

  /// A variable that the op changes is written in place, and that is worth as much.
  bool writes_variable() const {
    return std::ranges::any_of(graph_.updates,
                               [&](const auto& update) { return update.second.node == node_; });
  }

  /// The op may read what is picked more than once; views on the way there are read by the next.
  bool is_read_here_alone() const {
    const std::vector<Value>& inputs = graph_.nodes[node_].inputs;
    const auto times = static_cast<size_t>(std::ranges::count(inputs, picked_));
    if (readers_.count(picked_) != times) return false;
    for (Value value = picked_; value != gather_;) {
      value = graph_.nodes[value.node].inputs[0];
      if (readers_.count(value) != 1) return false;
    }
    return true;
  }

  bool is_gather() const {
    const Spec& spec = graph_.spec(gather_);
    return op_as<Gather>(graph_.nodes[gather_.node]) != nullptr &&
           GatherElementwise::kDTypes.contains(spec.dtype) && spec.shape.is_known() &&
           graph_.spec(picked_) == Spec{spec.dtype, results()};
  }

  bool others_fit() const {
    return std::ranges::all_of(graph_.nodes[node_].inputs, [&](const Value& input) {
      const Shape& shape = graph_.spec(input).shape;
      return input == picked_ ||
             (fits_rows_of(shape, results()) && fits_rows_of(operand_shape(input), gathered()));
    });
  }

  /// The shape that an operand has beside what is picked.
  Shape operand_shape(const Value& input) const {
    const Shape& shape = graph_.spec(input).shape;
    if (shape == results()) return gathered();
    if (gathered() == results()) return shape;
    return shape.size() == 1 ? Shape{} : Shape{shape.size()};
  }

  Value reshaped(const Value& value, const Shape& shape) const {
    return graph_.spec(value).shape == shape ? value : add_node(graph_, Reshape(shape), {value});
  }

  /// The elementwise op's program with what is picked as its first input.
  const scalar::Program& program(const Node& gather, const Node& node) const {
    const auto& op = *op_as<ElementwiseOp>(node);
    scalar::Builder builder;
    const scalar::Scalar first = builder.input(graph_.spec(picked_).dtype);
    std::vector<scalar::Scalar> operands;
    for (const Value& input : node.inputs)
      operands.push_back(input == picked_ ? first : builder.input(graph_.spec(input).dtype));
    const auto values = scalar::inlined(builder, op.program(), operands, op.parameters);
    return scalar::interned(
        builder.finish(fmt::format("{}+{}", gather.op->name(), node.op->name()), values));
  }

  Graph& graph_;
  const Readers& readers_;
  size_t node_;
  Value picked_{}, gather_{};  // what the op reads, and the gather's result that it is
  bool found_ = false;
};

}  // namespace

/// Passes slices that are picked on to the elementwise op that follows, a cast or a scaling, while
/// they are in the cache.
void fuse_gather(Graph& graph) {
  const Readers readers(graph);
  const size_t count = graph.nodes.size();
  for (size_t i = 0; i < count; ++i) Fusion(graph, readers, i)();
}

}  // namespace alula::graph
