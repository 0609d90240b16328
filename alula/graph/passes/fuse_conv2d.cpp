#include <algorithm>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/conv2d_fused.h"
#include "alula/ops/elementwise.h"
#include "alula/scalar/compose.h"

namespace alula::graph {
namespace {

constexpr size_t kMostInstructions = 64;
constexpr size_t kMostOperands = 6;
constexpr size_t kMostResults = 4;

/// Takes what follows one convolution into it.
class FuseConv2D {
 public:
  FuseConv2D(Graph& graph, size_t conv)
      : graph_(graph), conv_(conv), readers_(graph), value_{conv, 0} {
    needs_.assign(graph.nodes.size(), false);
    needs_[conv] = true;
    for (size_t i = conv + 1; i < graph.nodes.size(); ++i)
      for (const Value& input : graph.nodes[i].inputs) needs_[i] = needs_[i] || needs_[input.node];
  }

  /// Returns whether anything was taken in.
  bool operator()() {
    Conv2DFused op(*op_as<Conv2D>(graph_.nodes[conv_]));
    take_pooling(op);
    take_functions();
    if (nodes_.empty() && op.pooling == Conv2DFused::Pooling::kNone) return false;
    std::vector<Value> results;
    if (!nodes_.empty()) op.epilogue = &program(results);
    if (results.empty()) results = {value_};

    std::vector<Value> inputs = graph_.nodes[conv_].inputs;
    inputs.insert(inputs.end(), operands_.begin(), operands_.end());
    const auto outputs = static_cast<int>(results.size());
    const Value pooled = value_;
    const Value fused = add_node(graph_, op, inputs);
    for (int i = 0; i < outputs; ++i)
      replace(graph_, results[static_cast<size_t>(i)], {fused.node, i});
    if (op.pooling == Conv2DFused::Pooling::kMaxWithPositions)
      replace(graph_, {pooled.node, 1}, {fused.node, outputs});
    return true;
  }

 private:
  void take_pooling(Conv2DFused& op) {
    if (readers_.count(value_) != 1 || readers_.leaves(value_)) return;
    const size_t reader = readers_.of(value_)[0];
    if (const auto* pool = op_as<MaxPool2DWithPositions>(graph_.nodes[reader])) {
      op.pooling = Conv2DFused::Pooling::kMaxWithPositions;
      op.pool = *pool;
    } else if (const auto* plain = op_as<MaxPool2D>(graph_.nodes[reader])) {
      op.pooling = Conv2DFused::Pooling::kMax;
      op.pool = *plain;
    } else {
      return;
    }
    value_ = {reader, 0};
  }

  /// The elementwise nodes that need nothing but the values, each other, and what was there before.
  void take_functions() {
    for (size_t i = value_.node + 1; i < graph_.nodes.size(); ++i) {
      if (!is_fusible(i)) continue;
      std::vector<Value> operands = operands_;
      bool needs_values = false, possible = true;
      for (const Value& input : graph_.nodes[i].inputs) {
        if (is_within(input))
          needs_values = true;
        else if (!can_be_operand(input))
          possible = false;
        else if (std::find(operands.begin(), operands.end(), input) == operands.end())
          operands.push_back(input);
      }
      if (!needs_values || !possible || operands.size() > kMostOperands) continue;
      nodes_.push_back(i);
      if (is_small_enough()) {
        operands_ = std::move(operands);
      } else {
        nodes_.pop_back();
      }
    }
  }

  bool is_fusible(size_t i) const {
    const auto* op = op_as<ElementwiseOp>(graph_.nodes[i]);
    return op != nullptr && !op->program().can_fail() &&
           graph_.nodes[i].outputs[0].shape == graph_.spec(value_).shape;
  }

  bool is_within(const Value& value) const {
    return value == value_ || std::find(nodes_.begin(), nodes_.end(), value.node) != nodes_.end();
  }

  /// What is there before the convolution, of the values' shape or the same for all pixels.
  bool can_be_operand(const Value& value) const {
    if (needs_[value.node]) return false;
    const Shape &shape = graph_.spec(value).shape, &values = graph_.spec(value_).shape;
    if (shape == values) return true;
    for (int i = 0; i + 1 < shape.rank(); ++i)
      if (shape[i] != 1) return false;
    return shape.rank() <= values.rank();
  }

  bool is_read_outside(const Value& value) const {
    const auto readers = readers_.of(value);
    return readers_.leaves(value) || std::any_of(readers.begin(), readers.end(), [&](size_t i) {
             return std::find(nodes_.begin(), nodes_.end(), i) == nodes_.end();
           });
  }

  bool is_small_enough() const {
    size_t instructions = 0, results = is_read_outside(value_) ? 1 : 0;
    for (size_t i : nodes_) {
      instructions += op_as<ElementwiseOp>(graph_.nodes[i])->program().code().size();
      for (size_t k = 0; k < graph_.nodes[i].outputs.size(); ++k)
        results += is_read_outside({i, static_cast<int>(k)}) ? 1 : 0;
    }
    return instructions <= kMostInstructions && results <= kMostResults;
  }

  /// One program of the nodes; `results` are the values that it gives.
  const scalar::Program& program(std::vector<Value>& results) const {
    scalar::Builder builder;
    std::vector<std::pair<Value, scalar::Scalar>> known;
    known.emplace_back(value_, builder.input(graph_.spec(value_).dtype));
    for (const Value& operand : operands_)
      known.emplace_back(operand, builder.input(graph_.spec(operand).dtype));
    const auto find = [&](const Value& value) {
      return std::find_if(known.begin(), known.end(),
                          [&](const auto& pair) { return pair.first == value; })
          ->second;
    };
    std::string name;
    for (size_t i : nodes_) {
      const auto& op = *op_as<ElementwiseOp>(graph_.nodes[i]);
      std::vector<scalar::Scalar> inputs;
      for (const Value& input : graph_.nodes[i].inputs) inputs.push_back(find(input));
      const auto made = scalar::inlined(builder, op.program(), inputs, op.parameters);
      for (size_t k = 0; k < made.size(); ++k)
        known.emplace_back(Value{i, static_cast<int>(k)}, made[k]);
      name += fmt::format("{}{}", name.empty() ? "" : "+", op.name());
    }
    std::vector<scalar::Scalar> scalars;
    for (const auto& [value, scalar] : known) {
      if (!is_within(value) || !is_read_outside(value)) continue;
      results.push_back(value);
      scalars.push_back(scalar);
    }
    return scalar::interned(builder.finish(name, scalars));
  }

  Graph& graph_;
  size_t conv_;
  Readers readers_;
  Value value_;              // of the convolution, or pooled
  std::vector<bool> needs_;  // which nodes need the convolution
  std::vector<size_t> nodes_;
  std::vector<Value> operands_;
};

bool is_for_us(const Graph& graph, const Node& node) {
  if (op_as<Conv2D>(node) == nullptr) return false;
  const Spec& output = node.outputs[0];
  return Conv2DFused::kDTypes.contains(output.dtype) && output.shape.is_known() &&
         graph.spec(node.inputs[0]).shape.is_known();
}

}  // namespace

/// Takes the pooling, bias and activation that follow a convolution into it, so that its result is
/// never written and read again.
void fuse_conv2d(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!is_for_us(graph, graph.nodes[i])) continue;
    if (!FuseConv2D(graph, i)()) continue;
    sort(graph);
    remove_dead(graph);
    i = 0;  // nodes have moved
  }
}

}  // namespace alula::graph
