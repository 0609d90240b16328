#include "alula/graph/control/replay.h"

#include <algorithm>

#include "alula/ops/add.h"
#include "alula/ops/fill.h"
#include "alula/runtime/autocast.h"

namespace alula::graph {
namespace {

/// Calls the op of a node. One that every run calls anew becomes part of the function being traced,
/// even if its inputs are there.
Tensors call_node(const Node& node, const std::vector<Tensor>& inputs) {
  if (!t_state.tracing() || !(node.op->type().random || node.op->type().effects))
    return call_all(*node.op, inputs);
  std::vector<const Tensor*> refs;
  for (const Tensor& input : inputs) refs.push_back(&input);
  return call_later(*node.op, TensorRefs(refs));
}

/// The values of a graph, by node.
class Values {
 public:
  explicit Values(const Graph& graph) : all_(graph.nodes.size()) {
    for (size_t i = 0; i < all_.size(); ++i) all_[i].resize(graph.nodes[i].outputs.size());
  }
  Tensor& at(const Value& value) { return all_[value.node][static_cast<size_t>(value.index)]; }
  const Tensor& at(const Value& value) const {
    return all_[value.node][static_cast<size_t>(value.index)];
  }
  void set(size_t node, const Tensors& outputs) {
    all_[node].assign(outputs.begin(), outputs.end());
  }
  const std::vector<Tensor>& of(size_t node) const { return all_[node]; }
  std::vector<Tensor> inputs_of(const Node& node) const {
    std::vector<Tensor> inputs;
    for (const Value& input : node.inputs) inputs.push_back(at(input));
    return inputs;
  }

 private:
  std::vector<std::vector<Tensor>> all_;
};

/// One gradient of a sub-graph.
class Backward {
 public:
  Backward(const char* who, const PullBack& call)
      : who_(who),
        call_(call),
        graph_(call.body.graph()),
        values_(graph_),
        sums_(graph_),
        dependent_(graph_.nodes.size(), false) {}

  std::vector<Tensor> run() {
    forward();
    for (size_t k = 0; k < graph_.outputs.size(); ++k)
      if (call_.dy[k].defined()) add_to(graph_.outputs[k], call_.dy[k]);
    std::vector<Tensor> results(call_.wanted.size());
    size_t input = results.size();
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
      if (graph_.nodes[i].kind == Node::Kind::kInput) {
        if (call_.wanted[--input]) results[input] = sums_.at({i, 0});
      } else if (dependent_[i]) {
        pull(i);
      }
    }
    return results;
  }

 private:
  void forward() {
    size_t input = 0;
    const std::span<const Value> made = call_.body.made();
    for (size_t k = 0; k < made.size(); ++k) values_.at(made[k]) = call_.made[k];
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.kind == Node::Kind::kInput) {
        dependent_[i] = call_.wanted[input];
        values_.set(i, {call_.inputs[input++]});
      } else if (node.kind == Node::Kind::kConstant) {
        values_.set(i, {node.constant});
      } else if (node.kind == Node::Kind::kOp) {
        dependent_[i] = node.op->type().differentiable &&
                        std::any_of(node.inputs.begin(), node.inputs.end(),
                                    [&](const Value& value) { return is_wanted(value); });
        if (!node.op->type().random && !node.op->type().effects) compute(i);
      }
    }
  }

  void compute(size_t i) {
    const std::vector<Tensor> inputs = values_.inputs_of(graph_.nodes[i]);
    for (const Tensor& input : inputs)
      if (!input.defined()) return;  // of a shape that nobody knows beforehand: see pull
    values_.set(i, call_node(graph_.nodes[i], inputs));
  }

  bool is_wanted(const Value& value) const {
    return dependent_[value.node] && is_floating(graph_.spec(value).dtype);
  }

  void add_to(const Value& value, const Tensor& gradient) {
    Tensor& sum = sums_.at(value);
    sum = sum.defined() ? add(sum, gradient) : gradient;
  }

  Kept kept(const Value& value) const {
    const Tensor& tensor = values_.at(value);
    require<UnimplementedError>(
        tensor.defined(),
        "{}: the gradient of a function with values whose shape is known only when it runs is not "
        "supported. Got {}.",
        who_, graph_.spec(value));
    return {.id = 0, .spec = tensor.spec(), .value = tensor, .wanted = is_wanted(value)};
  }

  /// From the gradients of a node's outputs to those of its inputs.
  void pull(size_t i) {
    const Node& node = graph_.nodes[i];
    Tensors dy;
    bool any = false;
    for (const Tensor& sum : sums_.of(i)) {
      any = any || sum.defined();
      dy.push_back(sum);
    }
    if (!any) return;
    std::vector<Kept> inputs, outputs;
    for (const Value& input : node.inputs) inputs.push_back(kept(input));
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      outputs.push_back(kept({i, static_cast<int>(k)}));
      const Spec& spec = outputs.back().spec;
      if (!dy[k].defined() && is_floating(spec.dtype))
        dy[k] =
            spec.shape.is_known() ? zeros(spec.shape, spec.dtype) : zeros_like(outputs[k].value);
    }
    const Gradients gradients = node.op->gradient(Recorded(inputs, outputs, dy));
    for (size_t k = 0; k < gradients.size(); ++k)
      if (inputs[k].wanted && gradients[k].defined()) add_to(node.inputs[k], gradients[k]);
  }

  const char* who_;
  const PullBack& call_;
  const Graph& graph_;
  Values values_, sums_;
  std::vector<bool> dependent_;  // nodes that depend on an input that is wanted
};

}  // namespace

std::vector<Tensor> replay(const Graph& graph, std::span<const Tensor> inputs) {
  Values values(graph);
  size_t next = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    switch (node.kind) {
      case Node::Kind::kInput: values.set(i, {inputs[next++]}); break;
      case Node::Kind::kConstant: values.set(i, {node.constant}); break;
      case Node::Kind::kVariable: values.set(i, {stored_value(node.variable)}); break;
      case Node::Kind::kHost: values.set(i, symbolic_outputs(node.host, node.outputs)); break;
      case Node::Kind::kOp: values.set(i, call_node(node, values.inputs_of(node))); break;
    }
  }
  for (const auto& [variable, value] : graph.updates) {
    Variable target = variable;
    target.assign(values.at(value));
  }
  std::vector<Tensor> results;
  for (const Value& output : graph.outputs) results.push_back(values.at(output));
  return results;
}

std::vector<Tensor> gradients(const char* who, const PullBack& call) {
  return Backward(who, call).run();
}

}  // namespace alula::graph
