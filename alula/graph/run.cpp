#include "alula/graph/run.h"

#include <algorithm>

#include "alula/runtime/autocast.h"

namespace alula::graph {
namespace {

class NodeByNode {
 public:
  NodeByNode(const Graph& graph, TensorRefs inputs, const CallNode& call)
      : graph_(graph), inputs_(inputs), call_(call), values_(graph.nodes.size()) {
    uses_.resize(graph.nodes.size());
    for (const Node& node : graph.nodes)
      for (const Value& input : node.inputs) ++uses_[input.node];
    for (const Value& output : graph.outputs) ++uses_[output.node];
    for (const auto& [variable, value] : graph.updates) ++uses_[value.node];
  }

  Tensors run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      values_[i] = outputs_of(graph_.nodes[i]);
      for (const Value& input : graph_.nodes[i].inputs)
        if (--uses_[input.node] == 0) values_[input.node] = {};  // let go of early
    }
    Tensors results;
    for (const Value& output : graph_.outputs) results.push_back(value(output));
    // Nothing can fail from here on.
    for (const auto& [variable, made] : graph_.updates) {
      Variable target = variable;
      target.assign(value(made));
    }
    return results;
  }

 private:
  const Tensor& value(const Value& value) const {
    return values_[value.node][static_cast<size_t>(value.index)];
  }

  Tensors outputs_of(const Node& node) {
    switch (node.kind) {
      case Node::Kind::kInput: return {next_input(node)};
      case Node::Kind::kConstant: return {node.constant};
      case Node::Kind::kVariable: return {stored_value(node.variable)};
      case Node::Kind::kHost: return node.host->run({});
      case Node::Kind::kOp: break;
    }
    Tensors operands;
    std::vector<const Spec*> specs;
    for (const Value& input : node.inputs) {
      operands.push_back(value(input));
      specs.push_back(&value(input).spec());
    }
    if (node.op->type().random && t_state.tracing() && !call_) return later(*node.op, operands);
    std::unique_ptr<Op> drawn;
    if (node.op->type().random) drawn = node.op->drawn_again(SpecRefs(specs));
    const Op& op = drawn != nullptr ? *drawn : *node.op;
    return call_ ? call_(node, op, operands) : call_all(op, operands);
  }

  /// In a function that is being traced, each of its calls draws again.
  static Tensors later(const Op& op, const Tensors& operands) {
    std::vector<const Tensor*> refs;
    for (const Tensor& operand : operands) refs.push_back(&operand);
    return call_later(op, TensorRefs(refs));
  }

  const Tensor& next_input(const Node& node) {
    require(next_input_ < inputs_.size(), "function: it takes more inputs than the {} given.",
            inputs_.size());
    const Tensor& input = inputs_[next_input_];
    const Spec& wanted = node.outputs[0];
    require(input.defined(), "function: input {} is not defined yet.", next_input_);
    require(input.dtype() == wanted.dtype && compatible(input.shape(), wanted.shape),
            "function: input {} must be {}. Got {}.", next_input_, wanted, input.spec());
    ++next_input_;
    return input;
  }

  const Graph& graph_;
  TensorRefs inputs_;
  const CallNode& call_;
  size_t next_input_ = 0;
  std::vector<size_t> uses_;  // how often each node is still read
  std::vector<Tensors> values_;
};

}  // namespace

Tensors run(const Graph& graph, TensorRefs inputs, const CallNode& call) {
  return NodeByNode(graph, inputs, call).run();
}

bool has_known_shapes(const Graph& graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [](const Spec& output) { return output.shape.is_known(); });
  });
}

}  // namespace alula::graph
