#include "alula/data/traced.h"

#include <algorithm>

#include "alula/graph/edit.h"
#include "alula/graph/run.h"
#include "alula/graph/trace.h"
#include "alula/graph/vectorized_map.h"
#include "alula/runtime/devices.h"

namespace alula::data {
namespace {

/// Graphs are kept for so many sizes of blocks, those used last: that of a batch, those at an end.
constexpr size_t kMostSizes = 8;

bool is_op(const graph::Node& node) { return node.kind == graph::Node::Kind::kOp; }

/// Whether each call of it draws other numbers.
bool is_drawn(const graph::Node& node) {
  if (!is_op(node) || !node.op->type().random) return false;
  const auto* made = dynamic_cast<const RandomOutput*>(node.op.get());
  return made == nullptr || !made->fixed;
}

bool calls_host_code(const graph::Node& node) {
  if (!is_op(node)) return node.kind == graph::Node::Kind::kHost;
  return node.op->type().effects || node.op->type().host;
}

std::string why_not_there(const graph::Graph& graph, const graph::Node& node, Device device) {
  if (calls_host_code(node)) return "it calls host code";
  for (const Spec& output : node.outputs) {
    if (output.dtype == string) return "it works with strings";
    if (!output.shape.is_known()) return "shapes are not known before it runs";
  }
  if (!is_op(node) || node.op->type().view) return "";
  std::vector<const Spec*> specs;
  for (const graph::Value& input : node.inputs) specs.push_back(&graph.spec(input));
  if (backend_of(device).supports(*node.op, SpecRefs(specs))) return "";
  return fmt::format("{} has no kernel for {}", device, node.op->name());
}

}  // namespace

Traced::Traced(const char* who, const ElementFunction& function, const ElementSpec& input) {
  const graph::TracedFunction call = [&](const std::vector<Tensor>& tensors) {
    const Element result = function(Element(input.structure, tensors));
    output_.structure = result.structure();
    return result.tensors();
  };
  try {
    graph_ = graph::trace(call, input.specs);
  } catch (...) {
    rethrow_from(fmt::format("{}: tracing the function for elements {} failed: ", who, input));
  }
  for (const auto& [variable, value] : graph_.updates)
    fail(
        "{}: the function assigns to the variable '{}'. Steps of a pipeline may run at any time "
        "and in any thread: return what is to be assigned.",
        who, variable.name());
  output_.specs.clear();
  for (const graph::Value& value : graph_.outputs) output_.specs.push_back(graph_.spec(value));
  graph::remove_dead(graph_);
  use_variables_as_inputs();
  if (!graph::has_known_shapes(graph_)) {
    why_not_ = "shapes are not known before it runs";
    return;
  }
  single_ = std::make_shared<graph::Compiled>(graph_);
  const auto has_effects = [](const graph::Node& node) {
    return is_op(node) && node.op->type().effects;
  };
  if (std::any_of(graph_.nodes.begin(), graph_.nodes.end(), has_effects)) {
    why_not_ = "it calls host code";
    return;
  }
  try {
    make_block(2);
  } catch (const Error& error) {
    why_not_ = error.what();
  }
}

Traced::CompiledRef Traced::make_block(int64_t count) const {
  std::vector<bool> batched;
  for (const auto& [is_variable, i] : order_) batched.push_back(!is_variable);
  return std::make_shared<graph::Compiled>(graph::batch_graph(graph_, batched, count));
}

void Traced::use_variables_as_inputs() {
  size_t inputs = 0;
  for (graph::Node& node : graph_.nodes) {
    if (node.kind == graph::Node::Kind::kInput) order_.emplace_back(false, inputs++);
    if (node.kind != graph::Node::Kind::kVariable) continue;
    order_.emplace_back(true, variables_.size());
    variables_.push_back(node.variable);
    node.kind = graph::Node::Kind::kInput;
    node.variable = {};
  }
}

Row Traced::variables() const {
  Row values;
  for (const Variable& variable : variables_) values.push_back(variable.value());
  return values;
}

std::vector<const Tensor*> Traced::arguments(const Row& row, const Row& variables) const {
  std::vector<const Tensor*> refs;
  refs.reserve(order_.size());
  for (const auto& [is_variable, i] : order_) refs.push_back(&(is_variable ? variables : row)[i]);
  return refs;
}

void Traced::run(Row& row, const Row& variables, const random::ElementScope::Keys& keys,
                 int64_t index) const {
  const random::ElementScope scope(keys, static_cast<uint64_t>(index));
  const std::vector<const Tensor*> refs = arguments(row, variables);
  const TensorRefs inputs(refs);
  const Tensors results = single_ != nullptr ? single_->run(inputs) : graph::run(graph_, inputs);
  row.assign(results.begin(), results.end());
}

Traced::CompiledRef Traced::for_block(int64_t count) const {
  const std::lock_guard lock(mutex_);
  auto found = std::find_if(blocks_.begin(), blocks_.end(),
                            [&](const auto& block) { return block.first == count; });
  if (found == blocks_.end()) {
    CompiledRef made = make_block(count);
    if (blocks_.size() == kMostSizes) blocks_.pop_back();
    found = blocks_.insert(blocks_.end(), {count, std::move(made)});
  }
  std::rotate(blocks_.begin(), found, found + 1);
  return blocks_.front().second;
}

void Traced::run_block(Row& block, int64_t count, const Row& variables,
                       const random::ElementScope::Keys& keys, int64_t first) const {
  const CompiledRef compiled = for_block(count);
  const std::vector<const Tensor*> refs = arguments(block, variables);
  const random::ElementScope scope(keys, static_cast<uint64_t>(first),
                                   static_cast<uint64_t>(count));
  const Tensors results = compiled->run(TensorRefs(refs));
  block.assign(results.begin(), results.end());
}

bool Traced::draws() const {
  return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), is_drawn);
}

std::vector<Tensor> Traced::call_later(const Row& row, const Elements& elements,
                                       const Row& variables, const Sources& sources) const {
  graph::Graph graph = graph_;
  uint64_t call = 0;
  for (graph::Node& node : graph.nodes) {
    if (!is_drawn(node)) continue;
    std::shared_ptr<Op> op = node.op->clone();
    dynamic_cast<RandomDraw&>(*op).source = sources(call++);
    node.op = std::move(op);
  }
  const std::vector<const Tensor*> refs = arguments(row, variables);
  if (elements.stacked == 0) {
    const Tensors results = graph::run(graph, TensorRefs(refs));
    return {results.begin(), results.end()};
  }
  std::vector<BatchedInput> inputs;
  for (size_t i = 0; i < refs.size(); ++i) inputs.push_back({*refs[i], !order_[i].first});
  return graph::run_batched(graph, inputs, elements.stacked);
}

std::string Traced::why_not_on(Device device, const std::vector<Spec>& element,
                               const Elements& elements) const {
  const bool calls = std::any_of(graph_.nodes.begin(), graph_.nodes.end(), calls_host_code);
  if (calls) return "it calls host code";
  if (elements.stacked > 0 && !vectorizes()) return why_not_;
  std::vector<Spec> specs = element;
  if (elements.stacked > 0)
    for (Spec& spec : specs) spec.shape = Shape{elements.stacked} + spec.shape;
  const size_t tensors = specs.size();
  for (const Variable& variable : variables_) specs.push_back(variable.spec());
  try {
    const auto parts = [&](const std::vector<Tensor>& all) {
      const auto middle = all.begin() + static_cast<ptrdiff_t>(tensors);
      return call_later({all.begin(), middle}, elements, {middle, all.end()},
                        [](uint64_t) { return nullptr; });
    };
    const graph::Graph graph = graph::trace(parts, specs);
    for (const graph::Node& node : graph.nodes)
      if (std::string why = why_not_there(graph, node, device); !why.empty()) return why;
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace alula::data
