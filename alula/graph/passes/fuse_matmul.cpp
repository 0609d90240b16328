#include <algorithm>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/matmul_elementwise.h"
#include "alula/scalar/compose.h"

namespace alula::graph {
namespace {

/// Makes one op of a product and the elementwise op that alone reads it.
class Fusion {
 public:
  Fusion(Graph& graph, const Readers& readers, size_t node) : graph_(graph), node_(node) {
    const auto* op = op_as<ElementwiseOp>(graph.nodes[node]);
    if (op == nullptr || op->program().can_fail()) return;
    const std::vector<Value>& inputs = graph.nodes[node].inputs;
    for (size_t k = 0; k < inputs.size() && !found_; ++k) {
      product_ = k;
      found_ = is_product(inputs[k]) && readers.count(inputs[k]) == 1 && others_fit();
    }
  }

  void operator()() const {
    if (!found_) return;
    const Node node = graph_.nodes[node_];
    const Node product = graph_.nodes[node.inputs[product_].node];
    std::vector<Value> inputs = product.inputs;
    for (size_t k = 0; k < node.inputs.size(); ++k)
      if (k != product_) inputs.push_back(node.inputs[k]);
    const Value fused = add_node(
        graph_, MatMulElementwise(*op_as<MatMul>(product), program(product, node)), inputs);
    // The result that the product makes room for comes first.
    const auto results = static_cast<int>(node.outputs.size());
    for (int k = 0; k < results; ++k)
      replace(graph_, {node_, k}, {fused.node, (k - first_result() + results) % results});
  }

 private:
  bool is_product(const Value& value) const {
    const Node& node = graph_.nodes[value.node];
    return op_as<MatMul>(node) != nullptr &&
           MatMulElementwise::kDTypes.contains(node.outputs[0].dtype) &&
           node.outputs[0].shape == graph_.nodes[node_].outputs[0].shape && first_result() >= 0;
  }
  bool others_fit() const {
    const Node& node = graph_.nodes[node_];
    for (size_t k = 0; k < node.inputs.size(); ++k)
      if (k != product_ && !fits_rows_of(graph_.spec(node.inputs[k]).shape, node.outputs[0].shape))
        return false;
    return true;
  }
  /// The first output of the product's dtype; -1 if there is none.
  int first_result() const {
    const Node& node = graph_.nodes[node_];
    for (size_t k = 0; k < node.outputs.size(); ++k)
      if (node.outputs[k].dtype == graph_.spec(node.inputs[product_]).dtype)
        return static_cast<int>(k);
    return -1;
  }

  /// The elementwise op's program with the product as its first input.
  const scalar::Program& program(const Node& product, const Node& node) const {
    const auto& op = *op_as<ElementwiseOp>(node);
    scalar::Builder builder;
    const scalar::Scalar first = builder.input(graph_.spec(node.inputs[product_]).dtype);
    std::vector<scalar::Scalar> operands;
    for (size_t k = 0; k < node.inputs.size(); ++k)
      operands.push_back(k == product_ ? first : builder.input(graph_.spec(node.inputs[k]).dtype));
    std::vector<scalar::Scalar> results =
        scalar::inlined(builder, op.program(), operands, op.parameters);
    std::rotate(results.begin(), results.begin() + first_result(), results.end());
    return scalar::interned(
        builder.finish(fmt::format("{}+{}", product.op->name(), node.op->name()), results));
  }

  Graph& graph_;
  size_t node_;
  size_t product_ = 0;  // which input it is
  bool found_ = false;
};

}  // namespace

/// Passes parts of a matrix product on to the elementwise op that follows, bias and activation or
/// an activation's gradient, while they are in the cache.
void fuse_matmul(Graph& graph) {
  const Readers readers(graph);
  const size_t count = graph.nodes.size();
  for (size_t i = 0; i < count; ++i) Fusion(graph, readers, i)();
}

}  // namespace alula::graph
