#include "alula/graph/differentiable.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "alula/autograd/tape.h"
#include "alula/graph/edit.h"
#include "alula/graph/placed.h"
#include "alula/graph/run.h"
#include "alula/graph/trace.h"
#include "alula/runtime/autocast.h"
#include "alula/runtime/unheard.h"

namespace alula::graph {
namespace {

std::vector<size_t> nodes_of(const Graph& graph, Node::Kind kind) {
  std::vector<size_t> found;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == kind) found.push_back(i);
  return found;
}

/// The graph with its variables as inputs, after its own.
Graph with_variables_given(Graph graph, std::vector<Variable>& variables) {
  std::vector<size_t> order = nodes_of(graph, Node::Kind::kInput);
  for (size_t i : nodes_of(graph, Node::Kind::kVariable)) {
    variables.push_back(graph.nodes[i].variable);
    graph.nodes[i].kind = Node::Kind::kInput;
    graph.nodes[i].variable = {};
    order.push_back(i);
  }
  std::vector<bool> placed(graph.nodes.size(), false);
  for (size_t i : order) placed[i] = true;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (!placed[i]) order.push_back(i);
  keep(graph, order);
  return graph;
}

std::vector<Spec> input_specs(const Graph& graph) {
  std::vector<Spec> specs;
  for (size_t i : nodes_of(graph, Node::Kind::kInput)) specs.push_back(graph.nodes[i].outputs[0]);
  return specs;
}

std::vector<const Tensor*> refs_to(const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> refs;
  for (const Tensor& tensor : tensors) refs.push_back(&tensor);
  return refs;
}

}  // namespace

struct Differentiable::Parts {
  explicit Parts(const Graph& graph);

  std::vector<Variable> variables;  // they follow the graph's own inputs
  std::vector<Spec> specs;          // of all these inputs
  std::vector<Spec> results;
  std::vector<size_t> sloped;    // the results that have a gradient
  std::vector<int> gradient_of;  // of each input: which of the gradients is its own; -1: none

  Graph whole;                      // inputs and the results' gradients -> results, then gradients
  std::unique_ptr<Placed> forward;  // inputs -> results, then what the gradient needs of them
  Graph backward;                   // those and the results' gradients -> gradients

  /// What computes the gradients of these inputs.
  Placed& backward_for(const std::vector<bool>& wanted);

 private:
  void trace_whole(const Graph& graph);
  void split();

  std::mutex mutex_;
  std::map<std::vector<bool>, std::unique_ptr<Placed>> backwards_;
};

Differentiable::Parts::Parts(const Graph& graph) {
  const Graph given = with_variables_given(graph, variables);
  specs = input_specs(given);
  for (const Value& output : given.outputs) {
    results.push_back(given.spec(output));
    if (is_floating(results.back().dtype)) sloped.push_back(results.size() - 1);
  }
  trace_whole(given);
  split();
}

void Differentiable::Parts::trace_whole(const Graph& graph) {
  const Unheard unheard;
  std::vector<Spec> all = specs;
  for (size_t i : sloped) all.push_back(results[i]);
  gradient_of.assign(specs.size(), -1);
  whole = trace(
      [&](const std::vector<Tensor>& symbols) {
        const std::vector<Tensor> inputs(symbols.begin(), symbols.begin() + specs.size());
        const std::vector<Tensor> slopes(symbols.begin() + specs.size(), symbols.end());
        GradientTape tape({.persistent = false, .watch_accessed_variables = false});
        std::vector<GradientSource> sources;
        std::vector<size_t> places;
        for (size_t i = 0; i < inputs.size(); ++i) {
          if (!is_floating(inputs[i].dtype())) continue;
          tape.watch(inputs[i]);
          sources.emplace_back(inputs[i]);
          places.push_back(i);
        }
        const Tensors outputs = graph::run(graph, TensorRefs(refs_to(inputs)));
        std::vector<Tensor> made(outputs.begin(), outputs.end()), targets;
        for (size_t i : sloped) targets.push_back(made[i]);
        if (targets.empty()) return made;
        const std::vector<Tensor> gradients =
            tape.gradient(targets, sources, slopes, UnconnectedGradients::kNone);
        for (size_t k = 0; k < gradients.size(); ++k) {
          if (!gradients[k].defined()) continue;
          gradient_of[places[k]] = static_cast<int>(made.size() - results.size());
          made.push_back(gradients[k]);
        }
        return made;
      },
      all);
}

/// What depends on the results' gradients is the backward part. Of the rest it is given what it
/// needs.
void Differentiable::Parts::split() {
  std::vector<bool> late(whole.nodes.size(), false);
  const std::vector<size_t> inputs = nodes_of(whole, Node::Kind::kInput);
  for (size_t k = specs.size(); k < inputs.size(); ++k) late[inputs[k]] = true;
  std::map<std::pair<size_t, int>, Value> places;  // from the whole to the backward part
  std::vector<Value> crossing;
  const auto place = [&](const Value& value) {
    const auto found = places.find({value.node, value.index});
    if (found != places.end()) return found->second;
    const Node& node = whole.nodes[value.node];
    Value made;
    if (node.kind == Node::Kind::kConstant) {
      made = add_constant(backward, node.constant);
    } else {
      crossing.push_back(value);
      backward.nodes.push_back({.kind = Node::Kind::kInput, .outputs = {whole.spec(value)}});
      made = {backward.nodes.size() - 1, 0};
    }
    places.emplace(std::pair(value.node, value.index), made);
    return made;
  };
  for (size_t i = 0; i < whole.nodes.size(); ++i)
    for (const Value& input : whole.nodes[i].inputs) late[i] = late[i] || late[input.node];
  // First all that is given, then what is computed of it.
  const std::span gradients(whole.outputs.begin() + static_cast<ptrdiff_t>(results.size()),
                            whole.outputs.end());
  for (size_t i = 0; i < whole.nodes.size(); ++i)
    if (late[i])
      for (const Value& input : whole.nodes[i].inputs)
        if (!late[input.node]) place(input);
  for (const Value& gradient : gradients)
    if (!late[gradient.node]) place(gradient);
  for (size_t i = 0; i < whole.nodes.size(); ++i) {
    if (!late[i]) continue;
    Node node = whole.nodes[i];
    for (Value& input : node.inputs) input = place(input);
    backward.nodes.push_back(std::move(node));
    for (size_t k = 0; k < whole.nodes[i].outputs.size(); ++k)
      places.emplace(std::pair(i, static_cast<int>(k)),
                     Value{backward.nodes.size() - 1, static_cast<int>(k)});
  }
  for (const Value& gradient : gradients) backward.outputs.push_back(place(gradient));

  Graph early = whole;
  early.outputs.resize(results.size());
  early.outputs.insert(early.outputs.end(), crossing.begin(), crossing.end());
  std::vector<size_t> order;
  for (size_t i = 0; i < late.size(); ++i)
    if (!late[i]) order.push_back(i);
  keep(early, order);
  forward = std::make_unique<Placed>(std::move(early));
  whole.updates.clear();
}

Placed& Differentiable::Parts::backward_for(const std::vector<bool>& wanted) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Placed>& found = backwards_[wanted];
  if (found == nullptr) {
    Graph part = backward;
    part.outputs.clear();
    for (size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i]) part.outputs.push_back(backward.outputs[static_cast<size_t>(gradient_of[i])]);
    found = std::make_unique<Placed>(std::move(part));
  }
  return *found;
}

/// What tapes are told of. It never runs: its outputs are there already.
struct Differentiable::CallOp final : OpOf<CallOp> {
  static constexpr const char* kName = "function";
  static constexpr DTypeSet kDTypes = kAnyType;

  std::shared_ptr<Parts> parts;
  std::vector<Tensor> inputs, kept;

  CallOp(std::shared_ptr<Parts> parts, std::vector<Tensor> inputs, std::vector<Tensor> kept)
      : parts(std::move(parts)), inputs(std::move(inputs)), kept(std::move(kept)) {}
  Specs infer(SpecRefs) const override { return {parts->results.begin(), parts->results.end()}; }
  Attributes attributes() const override {
    return {{"function", static_cast<const void*>(parts.get())}};
  }
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }

  Gradients gradient(const Recorded& call) const override {
    std::vector<bool> wanted;
    for (size_t i = 0; i < call.inputs(); ++i)
      wanted.push_back(call.wants(i) && parts->gradient_of[i] >= 0);
    const bool heard = (t_state.flags & ThreadState::kListening) != 0 || t_state.tracing();
    std::vector<Tensor> given = heard ? inputs : kept;
    for (size_t i : parts->sloped) given.push_back(call.dy(i));
    // For a gradient's gradient, the ops must be heard of one by one.
    const Tensors made = heard ? graph::run(parts->whole, TensorRefs(refs_to(given)))
                               : parts->backward_for(wanted).run(TensorRefs(refs_to(given)));
    Gradients gradients;
    size_t next = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i])
        gradients.push_back({});
      else if (heard)
        gradients.push_back(
            made[parts->results.size() + static_cast<size_t>(parts->gradient_of[i])]);
      else
        gradients.push_back(made[next++]);
    }
    return gradients;
  }
};

bool Differentiable::can_be(const Graph& graph) {
  return has_known_shapes(graph) &&
         std::none_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
           if (node.kind == Node::Kind::kHost) return true;
           if (node.kind != Node::Kind::kOp) return false;
           const OpType& type = node.op->type();
           return type.host || type.random || type.effects;
         });
}

Differentiable::Differentiable(const Graph& graph) : parts_(std::make_shared<Parts>(graph)) {}
Differentiable::~Differentiable() = default;

Tensors Differentiable::run(TensorRefs inputs) const {
  std::vector<Tensor> given;
  for (size_t i = 0; i < inputs.size(); ++i) given.push_back(inputs[i]);
  for (const Variable& variable : parts_->variables) given.push_back(stored_value(variable));
  const std::vector<const Tensor*> refs = refs_to(given);
  const Tensors made = parts_->forward->run(TensorRefs(refs));
  const auto results = static_cast<ptrdiff_t>(parts_->results.size());
  // Tensors of their own: no gradient leads from a result to what else was kept.
  std::vector<Tensor> outputs;
  for (ptrdiff_t i = 0; i < results; ++i)
    outputs.push_back(made[static_cast<size_t>(i)].reshaped(made[static_cast<size_t>(i)].shape()));
  if (!outputs.empty()) {
    const CallOp op(parts_, given, {made.begin() + results, made.end()});
    tell_listeners(op, outputs[0].device(), TensorRefs(refs), outputs);
  }
  return {outputs.begin(), outputs.end()};
}

}  // namespace alula::graph
