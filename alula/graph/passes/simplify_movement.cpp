#include <algorithm>
#include <numeric>

#include "alula/graph/passes/simplify.h"
#include "alula/ops/all.h"

namespace alula::graph {
namespace {

/// The same elements in another shape.
Value reshaped(Graph& graph, const Value& x, const Shape& shape) {
  return graph.spec(x).shape == shape ? x : add_node(graph, Reshape(shape), {x});
}

bool is_view(const Node& node) { return node.kind == Node::Kind::kOp && node.op->type().view; }

/// Views of views are one reshape; those that change nothing are none.
Simpler views(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  if (!is_view(node) || !node.outputs[0].shape.is_known()) return {};
  Value root = node.inputs[0];
  while (is_view(maker(graph, root))) root = maker(graph, root).inputs[0];
  if (graph.spec(root) == node.outputs[0]) return root;
  if (root == node.inputs[0] || graph.spec(root).dtype != node.outputs[0].dtype) return {};
  const Shape shape = node.outputs[0].shape;
  return reshaped(graph, root, shape);
}

Ints order_of(const Graph& graph, const Node& node) {
  const auto* op = op_as<Transpose>(node);
  return op == nullptr ? Ints() : op->order(graph.spec(node.inputs[0]).rank());
}

/// Whether only dimensions of size 1 change places.
bool keeps_elements(const Ints& order, const Shape& shape) {
  int64_t last = -1;
  for (const int64_t axis : order) {
    if (shape[static_cast<int>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

/// Two transpositions are one; one that leaves the elements where they are is a reshape, or none.
Simpler transpositions(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  if (op_as<Transpose>(node) == nullptr || !node.outputs[0].shape.is_known()) return {};
  const Value x = node.inputs[0];
  const Ints order = order_of(graph, node);
  if (keeps_elements(order, graph.spec(x).shape)) {
    const Shape shape = node.outputs[0].shape;
    return reshaped(graph, x, shape);
  }
  const Node& inner = maker(graph, x);
  if (op_as<Transpose>(inner) == nullptr) return {};
  const Ints first = order_of(graph, inner);
  Ints both;
  for (const int64_t axis : order) both.push_back(first[static_cast<size_t>(axis)]);
  return add_node(graph, Transpose(Axes(std::span<const int64_t>(both))), {inner.inputs[0]});
}

/// Whether a node swaps the last two dimensions, and no others.
bool swaps_last_two(const Graph& graph, const Node& node) {
  Ints order = order_of(graph, node);
  if (order.size() < 2) return false;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  for (size_t k = 0; k < order.size(); ++k)
    if (order[k] != static_cast<int64_t>(k)) return false;
  return true;
}

/// A product reads transposed matrices as well as others.
Simpler transposed_operands(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  const auto* product = op_as<MatMul>(node);
  if (product == nullptr) return {};
  MatMulOptions options = *product;
  std::vector<Value> inputs = node.inputs;
  for (const int k : {0, 1}) {
    const Node& operand = maker(graph, inputs[k]);
    if (!swaps_last_two(graph, operand)) continue;
    bool& flag = k == 0 ? options.transpose_a : options.transpose_b;
    flag = !flag;
    inputs[k] = operand.inputs[0];
  }
  return inputs == node.inputs ? Simpler() : add_node(graph, MatMul(options), std::move(inputs));
}

/// What makes a tensor larger by copying, but has nothing to copy.
Simpler broadcasts(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  const auto* op = op_as<BroadcastTo>(node);
  if (op == nullptr || !node.outputs[0].shape.is_known()) return {};
  const Value x = node.inputs[0];
  const Shape shape = node.outputs[0].shape;
  if (!graph.spec(x).shape.is_known()) return {};
  if (graph.spec(x).shape.size() == shape.size()) return reshaped(graph, x, shape);
  const Node& inner = maker(graph, x);
  if (op_as<BroadcastTo>(inner) == nullptr) return {};
  return add_node(graph, BroadcastTo(shape), {inner.inputs[0]});
}

/// Whether a node only puts dimensions of size 1 before those of its input.
bool adds_leading_ones(const Graph& graph, const Node& node) {
  if (!is_view(node)) return false;
  const Shape &from = graph.spec(node.inputs[0]).shape, &to = node.outputs[0].shape;
  const int extra = to.rank() - from.rank();
  return extra >= 0 && std::equal(from.begin(), from.end(), to.begin() + extra) &&
         std::all_of(to.begin(), to.begin() + extra, [](int64_t dim) { return dim == 1; });
}

/// Elementwise ops broadcast by themselves.
Simpler broadcast_operands(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  if (op_as<ElementwiseOp>(node) == nullptr) return {};
  bool changed = false;
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const Node& operand = maker(graph, node.inputs[k]);
    if (op_as<BroadcastTo>(operand) == nullptr && !adds_leading_ones(graph, operand)) continue;
    std::vector<const Spec*> specs;
    for (const Value& input : node.inputs) specs.push_back(&graph.spec(input));
    specs[k] = &graph.spec(operand.inputs[0]);
    if (!(node.op->infer(SpecRefs(specs)) == node.outputs)) continue;
    graph.nodes[i].inputs[k] = operand.inputs[0];
    changed = true;
  }
  return changed ? Simpler(Value{i, 0}) : Simpler();
}

bool takes_all(const StridedSlice& op, const Shape& shape) {
  const StridedSlice::Resolved part = op.resolve(shape);
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (part.stride[axis] != 1 || part.size[axis] != shape[axis]) return false;
  return true;
}

bool are_of_size_one(const Shape& shape, const Axes& axes, const char* who) {
  const auto chosen = axes.among(who, shape.rank());
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (chosen[axis] && shape[axis] != 1) return false;
  return true;
}

/// Ops that give all of their input as it is, at most in another shape: slices of everything,
/// paddings by nothing, sums of one number.
bool gives_its_input(const Graph& graph, const Node& node) {
  const Spec &x = graph.spec(node.inputs[0]), &y = node.outputs[0];
  const char* name = node.op->name();
  if (op_as<Slice>(node) != nullptr || op_as<Pad>(node) != nullptr || op_as<Tile>(node) != nullptr)
    return x == y;
  if (op_as<Concat>(node) != nullptr || op_as<Stack>(node) != nullptr ||
      op_as<Split>(node) != nullptr || op_as<Unstack>(node) != nullptr)
    return node.inputs.size() == 1 && node.outputs.size() == 1;
  if (const auto* op = op_as<StridedSlice>(node)) return takes_all(*op, x.shape);
  if (const auto* op = op_as<Reverse>(node)) return are_of_size_one(x.shape, op->axis, name);
  if (const auto* op = op_as<Roll>(node)) {
    const Ints shifts = op->shifts(x.shape);
    return std::all_of(shifts.begin(), shifts.end(), [](int64_t shift) { return shift == 0; });
  }
  if (const auto* options = dynamic_cast<const ReduceOptions*>(node.op.get()))
    return are_of_size_one(x.shape, options->axis, name);
  return false;
}

Simpler whole(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  if (node.inputs.empty() || !node.outputs[0].shape.is_known() ||
      !graph.spec(node.inputs[0]).shape.is_known() || !gives_its_input(graph, node))
    return {};
  const Shape shape = node.outputs[0].shape;
  return reshaped(graph, node.inputs[0], shape);
}

constexpr Rule kRules[] = {views,      transpositions,     transposed_operands,
                           broadcasts, broadcast_operands, whole};

}  // namespace

std::span<const Rule> movement_rules() { return kRules; }

}  // namespace alula::graph
