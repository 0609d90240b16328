#include "alula/graph/vectorized_map.h"

#include "alula/ops/batching.h"
#include "alula/ops/reshape.h"
#include "alula/runtime/autocast.h"
#include "alula/runtime/unheard.h"

namespace alula::graph {
namespace {

/// One run of a graph for many elements.
class BatchedRun {
 public:
  BatchedRun(const Graph& graph, std::span<const BatchedInput> inputs, int64_t size)
      : graph_(graph), inputs_(inputs), size_(size), values_(graph.nodes.size()) {
    count_uses();
  }

  std::vector<Tensor> run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      values_[i] = outputs_of(graph_.nodes[i]);
      for (const Value& input : graph_.nodes[i].inputs)
        if (--uses_[input.node] == 0) values_[input.node].clear();
    }
    std::vector<Tensor> results;
    for (const Value& output : graph_.outputs)
      results.push_back(batching::repeated(value(output), size_));
    return results;
  }

 private:
  using Values = std::vector<BatchedInput>;

  /// How often each node is still read, so that memory is let go of early.
  void count_uses() {
    uses_.resize(graph_.nodes.size());
    for (const Node& node : graph_.nodes)
      for (const Value& input : node.inputs) ++uses_[input.node];
    for (const Value& output : graph_.outputs) ++uses_[output.node];
  }

  const BatchedInput& value(const Value& value) const {
    return values_[value.node][static_cast<size_t>(value.index)];
  }

  static Values as_values(const Tensors& tensors, bool batched) {
    Values values;
    for (const Tensor& tensor : tensors) values.push_back({tensor, batched});
    return values;
  }

  Values outputs_of(const Node& node) {
    switch (node.kind) {
      case Node::Kind::kInput: return {inputs_[next_input_++]};
      case Node::Kind::kConstant: return {{node.constant, false}};
      case Node::Kind::kVariable: return {{stored_value(node.variable), false}};
      case Node::Kind::kHost:
        return as_values(
            t_state.tracing() ? symbolic_outputs(node.host, node.outputs) : node.host->run({}),
            false);
      case Node::Kind::kOp: break;
    }
    Values inputs;
    Tensors plain;
    bool batched = node.op->type().random || node.op->type().effects;
    for (const Value& input : node.inputs) {
      inputs.push_back(value(input));
      plain.push_back(inputs.back().value);
      batched = batched || inputs.back().batched;
    }
    return batched ? as_values(node.op->batched(inputs, size_), true)
                   : as_values(call_all(*node.op, plain), false);
  }

  const Graph& graph_;
  std::span<const BatchedInput> inputs_;
  int64_t size_;
  size_t next_input_ = 0;
  std::vector<size_t> uses_;
  std::vector<Values> values_;
};

std::vector<Spec> input_specs(const Graph& graph) {
  std::vector<Spec> specs;
  for (const Node& node : graph.nodes)
    if (node.kind == Node::Kind::kInput) specs.push_back(node.outputs[0]);
  return specs;
}

/// Of no elements: nothing runs, since ops need not take shapes without elements.
std::vector<Tensor> empty_results(const Graph& graph) {
  std::vector<Tensor> results;
  for (const Value& output : graph.outputs) {
    const Spec& spec = graph.spec(output);
    require(spec.shape.is_known(),
            "vectorized_map: there are no elements, and the shape of a result is unknown. Got {}.",
            spec);
    results.push_back(Tensor::uninitialized(spec.with(Shape{0} + spec.shape)));
  }
  return results;
}

/// The number of elements: the first dimension of those that have more than one.
int64_t count_elements(const std::vector<Tensor>& elems) {
  require(!elems.empty(), "vectorized_map: there is no tensor. Give it at least one.");
  int64_t size = 1;
  for (const Tensor& elem : elems) {
    require(elem.defined(), "vectorized_map: a tensor is not defined yet.");
    require(elem.rank() > 0, "vectorized_map: a scalar has no elements. Got {}.", elem.spec());
    const int64_t count = elem.shape()[0];
    require(count != kUnknown, "vectorized_map: the number of elements must be known. Got {}.",
            elem.spec());
    require(
        count == size || count == 1 || size == 1,
        "vectorized_map: the numbers of elements differ, {} and {}. Got {}. They must be equal, "
        "or 1 for a tensor that is the same for all.",
        size, count, elem.spec());
    if (count != 1) size = count;
  }
  return size;
}

}  // namespace

std::vector<Tensor> run_batched(const Graph& graph, std::span<const BatchedInput> inputs,
                                int64_t size) {
  const std::vector<Spec> wanted = input_specs(graph);
  require(inputs.size() == wanted.size(), "vectorized_map: takes {} inputs. Got {}.", wanted.size(),
          inputs.size());
  require(size >= 0, "vectorized_map: the number of elements cannot be negative. Got {}.", size);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Spec& got = inputs[i].value.spec();
    const Shape shape = inputs[i].batched ? Shape{size} + wanted[i].shape : wanted[i].shape;
    require(got.dtype == wanted[i].dtype && compatible(got.shape, shape),
            "vectorized_map: input {} must be {}. Got {}.", i, wanted[i].with(shape), got);
  }
  for (const auto& [variable, value] : graph.updates)
    fail(
        "vectorized_map: the function assigns to the variable '{}', once for each of {} elements. "
        "Return the values, and assign what is made of them.",
        variable.name(), size);
  if (size == 0) return empty_results(graph);
  return BatchedRun(graph, inputs, size).run();
}

Graph batch_graph(const Graph& graph, const std::vector<bool>& batched, int64_t size) {
  std::vector<Spec> specs = input_specs(graph);
  require(batched.size() == specs.size(), "vectorized_map: takes {} inputs. Got {}.", specs.size(),
          batched.size());
  for (size_t i = 0; i < specs.size(); ++i)
    if (batched[i]) specs[i].shape = Shape{size} + specs[i].shape;
  const TracedFunction run = [&](const std::vector<Tensor>& values) {
    std::vector<BatchedInput> inputs;
    for (size_t i = 0; i < values.size(); ++i) inputs.push_back({values[i], batched[i]});
    return run_batched(graph, inputs, size);
  };
  return trace(run, specs);
}

std::vector<Tensor> map_vectorized(const TracedFunction& fn, const std::vector<Tensor>& elems) {
  const int64_t size = count_elements(elems);
  std::vector<BatchedInput> inputs;
  std::vector<Spec> specs;
  for (const Tensor& elem : elems) {
    const Shape element = elem.shape().slice(1, elem.rank());
    specs.push_back(elem.spec().with(element));
    const bool same = elem.shape()[0] != size;
    inputs.push_back({same ? reshape(elem, element) : elem, !same});
  }
  const Graph graph = [&] {
    const Unheard unheard;
    return trace(fn, specs);
  }();
  return run_batched(graph, inputs, size);
}

}  // namespace alula::graph
