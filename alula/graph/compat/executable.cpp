#include "alula/graph/compat/executable.h"

#include <algorithm>

#include "alula/graph/compiled.h"
#include "alula/runtime/devices.h"

namespace alula::compat::v1::internal {
namespace {

using graph::Node;
using graph::Value;

class OnCpu final : public Runnable {
 public:
  explicit OnCpu(graph::Graph graph) : compiled_(std::move(graph)) {}
  Tensors run(TensorRefs inputs) override { return compiled_.run(inputs); }

 private:
  graph::Compiled compiled_;
};

/// Through dispatch, which moves operands where they are needed.
class OpByOp final : public Runnable {
 public:
  OpByOp(graph::Graph graph, std::unordered_map<const Op*, Device> devices)
      : graph_(std::move(graph)), devices_(std::move(devices)) {}

  Tensors run(TensorRefs inputs) override {
    std::vector<Tensors> values(graph_.nodes.size());
    const auto value_of = [&](const Value& value) {
      return values[value.node][static_cast<size_t>(value.index)];
    };
    size_t input = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      switch (node.kind) {
        case Node::Kind::kInput: values[i] = {inputs[input++]}; break;
        case Node::Kind::kConstant: values[i] = {node.constant}; break;
        case Node::Kind::kVariable: values[i] = {node.variable.value()}; break;
        case Node::Kind::kHost: values[i] = node.host->run({}); break;
        case Node::Kind::kOp: {
          std::vector<Tensor> operands;
          for (const Value& operand : node.inputs) operands.push_back(value_of(operand));
          values[i] = call_op(node, operands);
          break;
        }
      }
    }
    Tensors results;
    for (const Value& output : graph_.outputs) results.push_back(value_of(output));
    // Nothing can fail from here on.
    for (const auto& [variable, value] : graph_.updates) {
      alula::Variable target = variable;
      target.assign(value_of(value));
    }
    return results;
  }

 private:
  Tensors call_op(const Node& node, const std::vector<Tensor>& operands) const {
    std::vector<const Spec*> specs;
    for (const Tensor& operand : operands) specs.push_back(&operand.spec());
    std::unique_ptr<Op> drawn;
    if (node.op->type().random) drawn = node.op->drawn_again(SpecRefs(specs));
    const Op& op = drawn != nullptr ? *drawn : *node.op;
    const auto where = devices_.find(node.op.get());
    if (where == devices_.end()) return call_all(op, operands);
    const DeviceScope scope(where->second);
    return call_all(op, operands);
  }

  graph::Graph graph_;
  std::unordered_map<const Op*, Device> devices_;
};

bool all_on_cpu(const Lowered& lowered) {
  const bool ops = std::all_of(lowered.devices.begin(), lowered.devices.end(),
                               [](const auto& place) { return place.second.is_cpu(); });
  return ops &&
         std::all_of(lowered.graph.nodes.begin(), lowered.graph.nodes.end(), [](const Node& node) {
           if (node.kind == Node::Kind::kConstant) return node.constant.device().is_cpu();
           if (node.kind == Node::Kind::kVariable) return node.variable.device().is_cpu();
           return true;
         });
}

}  // namespace

std::unique_ptr<Runnable> make_runnable(Lowered& lowered) {
  if (all_on_cpu(lowered)) return std::make_unique<OnCpu>(std::move(lowered.graph));
  return std::make_unique<OpByOp>(std::move(lowered.graph), std::move(lowered.devices));
}

}  // namespace alula::compat::v1::internal
