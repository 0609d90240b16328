#include <algorithm>
#include <optional>

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
      found_ = is_gather() && is_read_here_alone() && (others_fit() || others_fit_slices());
    }
  }

  void operator()() const {
    if (!found_) return;
    const Node node = graph_.nodes[node_], gather = graph_.nodes[gather_.node];
    std::vector<Value> inputs = gather.inputs;
    if (by_slices_) {
      inputs[0] = reshaped(inputs[0], {graph_.spec(inputs[0]).shape[0], gathered_[1]});
      inputs[1] = reshaped(inputs[1], {gathered_[0]});
    }
    for (const Value& input : node.inputs)
      if (input != picked_) inputs.push_back(reshaped(input, *operand_shape(input)));
    const Value fused =
        add_node(graph_, GatherElementwise(*op_as<Gather>(gather), program(gather, node)), inputs);
    for (int k = 0; k < static_cast<int>(node.outputs.size()); ++k)
      replace(graph_, {node_, k}, reshaped({fused.node, k}, node.outputs[0].shape));
  }

 private:
  const Shape& results() const { return graph_.nodes[node_].outputs[0].shape; }

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

  bool all_have_shapes() const {
    return std::ranges::all_of(graph_.nodes[node_].inputs, [&](const Value& input) {
      return input == picked_ || operand_shape(input).has_value();
    });
  }
  bool others_fit() {
    gathered_ = graph_.spec(gather_).shape;
    return all_have_shapes();
  }
  /// The same with what is picked as a matrix, a slice a row: a value for each slice, such as how
  /// much brighter an image gets, is then a column.
  bool others_fit_slices() {
    const Node& gather = graph_.nodes[gather_.node];
    const Spec &params = graph_.spec(gather.inputs[0]), &indices = graph_.spec(gather.inputs[1]);
    const auto& op = *op_as<Gather>(gather);
    const int batch = op.batch(params, indices);
    if (batch != 0 || op.along(params, batch) != 0 || !params.shape.is_known()) return false;
    gathered_ = {indices.shape.size(), params.shape.slice(1, params.rank()).size()};
    by_slices_ = all_have_shapes();
    return by_slices_;
  }

  /// The shape in which an operand stands beside what is picked; none if it cannot.
  std::optional<Shape> operand_shape(const Value& input) const {
    const Shape& shape = graph_.spec(input).shape;
    if (shape == results()) return gathered_;
    if (!fits_rows_of(shape, results()) && !is_of_slices(shape)) return {};
    if (gathered_ == results()) return shape;
    if (shape.size() == 1) return Shape{};
    if (is_of_slices(shape)) return Shape{gathered_[0], 1};
    const bool is_row = shape.size() == results().back() && shape.back() == results().back();
    return is_row && gathered_.back() == results().back() ? std::optional(Shape{shape.size()})
                                                          : std::nullopt;
  }

  /// Whether, beside the results, it has one value for each row of a matrix that is picked.
  bool is_of_slices(const Shape& shape) const {
    if (gathered_.rank() != 2 || shape.rank() != results().rank()) return false;
    int lead = 0;
    for (int64_t rows = 1; rows < gathered_[0] && lead < shape.rank();) rows *= results()[lead++];
    return shape.size() == gathered_[0] && shape.slice(0, lead) == results().slice(0, lead);
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
  Shape gathered_;             // as which that is picked
  bool by_slices_ = false;     // whether that is another shape than the gather's
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
