#include <algorithm>
#include <optional>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/conv2d_backprop_filter.h"
#include "alula/ops/conv2d_gradients_at.h"
#include "alula/ops/conv2d_transpose.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/reduce.h"
#include "alula/scalar/gradient.h"
#include "alula/scalar/properties.h"

namespace alula::graph {
namespace {

bool same(const Pool2DOptions& a, const Pool2DOptions& b) {
  return a.ksize == b.ksize && a.strides == b.strides && a.padding == b.padding;
}

/// Whether a value is the same for all pixels of an image of rank 4.
bool is_same_for_pixels(const Shape& shape) {
  if (shape.rank() > 4) return false;
  for (int i = 2; i <= std::min(shape.rank(), 3); ++i)
    if (shape[shape.rank() - i] != 1) return false;
  return true;
}

/// The op, if each element of its outputs is made of those at the same place, and it can't fail.
const ElementwiseOp* elementwise(const Node& node) {
  const auto* op = op_as<ElementwiseOp>(node);
  return op != nullptr && !op->program().can_fail() ? op : nullptr;
}

/// Rewrites one max pooling and its gradients.
class PoolFirst {
 public:
  PoolFirst(Graph& graph, size_t pool) : graph_(graph), pool_(pool), readers_(graph) {
    const Node& node = graph.nodes[pool];
    options_ = *op_as<MaxPool2D>(node);
    for (size_t i : readers_.of({pool, 0})) {
      const auto* op = op_as<MaxPool2DGradient>(graph.nodes[i]);
      if (op != nullptr && same(*op, options_) && graph.nodes[i].inputs[0] == node.inputs[0] &&
          graph.nodes[i].inputs[1] == Value{pool, 0} && graph.nodes[i].inputs[2].node != pool)
        gradients_.push_back(i);
    }
  }

  /// Pools before the functions that lead to the pooling. False if there is nothing to gain.
  bool before_functions() {
    std::vector<size_t> chain;
    Value source = graph_.nodes[pool_].inputs[0];
    std::vector<Value> gradients;  // with respect to `source`
    for (size_t gradient : gradients_) gradients.push_back({gradient, 0});
    while (const std::optional<Value> before = below(source)) {
      if (!passes_ties(source, *before, gradients)) break;
      chain.push_back(source.node);
      source = *before;
    }
    if (chain.empty()) return false;
    pool(source);
    while (!chain.empty()) {
      at_winners({chain.back(), 0});
      chain.pop_back();
    }
    finish();
    return is_only_pooled();
  }

  /// Lets the gradient go by positions. False if there is none.
  bool at_positions() {
    if (gradients_.empty()) return false;
    pool(graph_.nodes[pool_].inputs[0]);
    finish();
    return true;
  }

 private:
  /// If a value is a function of another that keeps the order of a window's elements: that other.
  std::optional<Value> below(const Value& value) const {
    const Node& node = graph_.nodes[value.node];
    const ElementwiseOp* op = elementwise(node);
    if (op == nullptr || node.outputs.size() != 1) return std::nullopt;
    std::optional<size_t> from;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_same_for_pixels(graph_.spec(node.inputs[i]).shape)) continue;
      if (from.has_value() || graph_.spec(node.inputs[i]) != graph_.spec(value))
        return std::nullopt;
      from = i;
    }
    if (!from.has_value() || !scalar::is_non_decreasing(op->program(), *from, op->parameters))
      return std::nullopt;
    return node.inputs[*from];
  }

  /// Elements that differ may be equal once a function is computed of them: all negative ones under
  /// relu. Among those the pooled function and the function of what is pooled have other winners,
  /// which is no matter if the gradients with respect to its result are only read by its own
  /// gradient, which is the same for all of them, or summed up over the pixels. Then `gradients`
  /// become those with respect to what the function is computed of.
  bool passes_ties(const Value& result, const Value& from, std::vector<Value>& gradients) const {
    const Node& node = graph_.nodes[result.node];
    const ElementwiseOp& op = *elementwise(node);
    const auto place = static_cast<size_t>(std::find(node.inputs.begin(), node.inputs.end(), from) -
                                           node.inputs.begin());
    const bool strict = is_sum(op.program());
    std::vector<Value> before;
    for (const Value& gradient : gradients) {
      if (!strict && readers_.leaves(gradient)) return false;
      if (strict) before.push_back(gradient);  // that of a sum is the same
      for (size_t reader : readers_.of(gradient)) {
        const Node& other = graph_.nodes[reader];
        const auto* sum = op_as<ReduceSum>(other);
        if (sum != nullptr && sums_pixels(*sum, graph_.spec(gradient).rank())) continue;
        if (!strict && !is_gradient_of(op, place, other)) return false;
        if (elementwise(other) == nullptr) continue;
        for (size_t i = 0; i < other.outputs.size(); ++i)
          before.push_back({reader, static_cast<int>(i)});
      }
    }
    gradients = std::move(before);
    return true;
  }

  /// Whether a program only adds things: then no two elements become equal, but by rounding.
  static bool is_sum(const scalar::Program& program) {
    return std::all_of(
        program.code().begin(), program.code().end(), [](const scalar::Instruction& step) {
          return scalar::operand_count(step.opcode) == 0 || step.opcode == scalar::Opcode::kAdd ||
                 step.opcode == scalar::Opcode::kSub;
        });
  }

  static bool is_gradient_of(const ElementwiseOp& op, size_t place, const Node& node) {
    const ElementwiseOp* gradient = elementwise(node);
    if (gradient == nullptr) return false;
    const uint64_t all = (uint64_t{1} << op.program().inputs().size()) - 1;
    for (uint64_t wanted : {uint64_t{1} << place, all})
      if (scalar::gradient_of(op.program(), wanted).program.get() == &gradient->program())
        return true;
    return false;
  }

  void pool(const Value& source) {
    source_ = source;
    if (gradients_.empty()) {
      pooled_ = add_node(graph_, MaxPool2D(options_), {source});
    } else {
      pooled_ = add_node(graph_, MaxPool2DWithPositions(options_), {source});
      positions_ = {pooled_.node, 1};
    }
    op_ = graph_.nodes[pooled_.node].op;
    known_ = {{source, pooled_}};
  }

  void finish() {
    const Value input = graph_.nodes[pool_].inputs[0];
    for (size_t gradient : gradients_)
      move_down({gradient, 0}, graph_.nodes[gradient].inputs[2], graph_.spec(input).shape);
    replace(graph_, {pool_, 0}, *at_winners(input));
  }

  /// What a value of the images' size is where the windows' winners are, computed for those alone.
  std::optional<Value> at_winners(const Value& value) {
    for (const auto& [from, to] : known_)
      if (from == value) return to;
    if (is_same_for_pixels(graph_.spec(value).shape)) return value;
    const ElementwiseOp* op = elementwise(graph_.nodes[value.node]);
    if (op == nullptr || graph_.spec(value).shape != graph_.spec(source_).shape)
      return std::nullopt;
    std::vector<Value> inputs;
    for (const Value& input : graph_.nodes[value.node].inputs) {
      const std::optional<Value> there = at_winners(input);
      if (!there.has_value()) return std::nullopt;
      inputs.push_back(*there);
    }
    const size_t node = add_node(graph_, graph_.nodes[value.node].op, inputs).node;
    for (size_t i = 0; i < graph_.nodes[node].outputs.size(); ++i)
      known_.push_back({{value.node, static_cast<int>(i)}, {node, static_cast<int>(i)}});
    return Value{node, value.index};
  }

  /// The same; what can't be computed is picked from the whole value.
  std::optional<Value> picked(const Value& value) {
    if (const std::optional<Value> there = at_winners(value)) return there;
    const Spec& spec = graph_.spec(value);
    if (spec.shape != graph_.spec(source_).shape || !MaxPool2DGather::kDTypes.contains(spec.dtype))
      return std::nullopt;
    const Value there = add_node(graph_, MaxPool2DGather(options_), {value, positions_});
    known_.emplace_back(value, there);
    return there;
  }

  /// `from` is `values` put where the winners are. Its readers get that, or do their work on the
  /// values if they can.
  void move_down(const Value& from, const Value& values, const Shape& shape) {
    const std::vector<size_t> readers(readers_.of(from).begin(), readers_.of(from).end());
    bool whole = readers_.leaves(from);
    for (size_t reader : readers)
      if (!moved(reader, from, values, shape)) whole = true;
    if (whole)
      replace(graph_, from,
              add_node(graph_, MaxPool2DScatter(shape, options_), {values, positions_}));
  }

  bool moved(size_t reader, const Value& from, const Value& values, const Shape& shape) {
    const Node node = graph_.nodes[reader];
    if (const auto* op = op_as<ReduceSum>(node)) {
      if (!sums_pixels(*op, shape.rank())) return false;
      replace(graph_, {reader, 0}, add_node(graph_, node.op, {values}));
      return true;
    }
    if (const auto* op = op_as<Conv2DBackpropFilter>(node)) {
      if (node.inputs[0] == from || op->filter_shape.size() == 0) return false;
      replace(graph_, {reader, 0},
              add_node(graph_, Conv2DFilterGradientAt(op->filter_shape, *op, options_),
                       {node.inputs[0], values, positions_}));
      return true;
    }
    if (const auto* op = op_as<Conv2DBackpropInput>(node)) {
      if (node.inputs[0] == from) return false;
      replace(graph_, {reader, 0},
              add_node(graph_, Conv2DInputGradientAt(op->input_shape, *op, options_),
                       {node.inputs[0], values, positions_}));
      return true;
    }
    return moved_function(reader, from, values, shape);
  }

  static bool sums_pixels(const ReduceSum& op, int rank) {
    const auto summed = op.axis.among(op.kName, rank);
    return summed[1] && summed[2];
  }

  /// A function that is linear in what is zero but at the winners is zero there, too.
  bool moved_function(size_t reader, const Value& from, const Value& values, const Shape& shape) {
    const Node node = graph_.nodes[reader];
    const ElementwiseOp* op = elementwise(node);
    if (op == nullptr || std::count(node.inputs.begin(), node.inputs.end(), from) != 1)
      return false;
    for (const Spec& output : node.outputs)
      if (output != graph_.spec(from)) return false;
    const auto place = std::find(node.inputs.begin(), node.inputs.end(), from);
    if (!scalar::is_linear(op->program(), static_cast<size_t>(place - node.inputs.begin())))
      return false;
    std::vector<Value> inputs;
    for (const Value& input : node.inputs) {
      const std::optional<Value> there = input == from ? values : picked(input);
      if (!there.has_value()) return false;
      inputs.push_back(*there);
    }
    const Value there = add_node(graph_, node.op, inputs);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      move_down({reader, static_cast<int>(i)}, {there.node, static_cast<int>(i)}, shape);
    return true;
  }

  /// Whether nobody but the pooling still needs what is pooled.
  bool is_only_pooled() {
    sort(graph_);
    remove_dead(graph_);
    for (const Node& node : graph_.nodes)
      if (node.op == op_) return Readers(graph_).count(node.inputs[0]) == 1;
    return false;
  }

  Graph& graph_;
  size_t pool_;
  Readers readers_;  // of the graph as it was
  Pool2DOptions options_;
  std::vector<size_t> gradients_;
  Value source_, pooled_, positions_;
  std::shared_ptr<const Op> op_;
  std::vector<std::pair<Value, Value>> known_;  // values, and what they are at the winners
};

bool is_for_us(const Graph& graph, const Node& node) {
  const auto* op = op_as<MaxPool2D>(node);
  if (op == nullptr) return false;
  const Spec& input = graph.spec(node.inputs[0]);
  return MaxPool2DWithPositions::kDTypes.contains(input.dtype) && input.shape.is_known() &&
         input.shape.size() > 0 && op->ksize.height * op->ksize.width <= kMostPositions;
}

}  // namespace

/// Max pooling of f(x), where f keeps the order of numbers, is f of the pooled x; and its gradient
/// is zero but at the windows' winners. So bias and activation, and their gradients, are computed
/// for the winners alone, and a convolution is followed by its pooling.
void pool_first(Graph& graph) {
  // Each is tried on a copy: the nodes of others keep their places until all are done.
  std::vector<std::shared_ptr<const Op>> pools;
  for (const Node& node : graph.nodes)
    if (is_for_us(graph, node)) pools.push_back(node.op);
  for (const auto& pool : pools) {
    const auto find = [&](const Graph& in) {
      const auto found = std::find_if(in.nodes.begin(), in.nodes.end(),
                                      [&](const Node& node) { return node.op == pool; });
      return static_cast<size_t>(found - in.nodes.begin());
    };
    if (find(graph) == graph.nodes.size()) continue;
    Graph trial = graph;
    if (PoolFirst(trial, find(trial)).before_functions()) {
      graph = std::move(trial);
      continue;
    }
    PoolFirst(graph, find(graph)).at_positions();
  }
}

}  // namespace alula::graph
