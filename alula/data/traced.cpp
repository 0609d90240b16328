#include "alula/data/traced.h"

#include <algorithm>

#include "alula/graph/edit.h"
#include "alula/graph/run.h"
#include "alula/graph/trace.h"
#include "alula/graph/vectorized_map.h"

namespace alula::data {
namespace {

/// Graphs are kept for so many sizes of blocks, those used last: that of a batch, those at an end.
constexpr size_t kMostSizes = 8;

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
    return node.kind == graph::Node::Kind::kOp && node.op->type().effects;
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

}  // namespace alula::data
