#include "alula/graph/passes.h"
#include "alula/graph/passes/simplify.h"
#include "alula/ops/all.h"

namespace alula::graph {
namespace {

template <class T>
bool is_made_by(const Graph& graph, const Value& value) {
  return op_as<T>(maker(graph, value)) != nullptr;
}

/// A softmax or log_softmax over the last axis.
template <class T>
bool is_over_classes(const Graph& graph, const Value& value) {
  const auto* op = op_as<T>(maker(graph, value));
  return op != nullptr && normalize_axis(T::kName, op->axis, graph.spec(value).rank()) ==
                              graph.spec(value).rank() - 1;
}

/// Whether a node is `function` of two values in either order; `first` becomes the one that
/// satisfies `is_first`, `second` the other.
template <class F>
bool splits(const Node& node, const Elementwise& function, const F& is_first, Value& first,
            Value& second) {
  if (!is_call_of(node, function)) return false;
  for (const int k : {0, 1}) {
    if (!is_first(node.inputs[k])) continue;
    first = node.inputs[k];
    second = node.inputs[1 - k];
    return true;
  }
  return false;
}

/// Whether `sum` is the sum of `x` over one axis, which stays.
bool is_sum_over(const Graph& graph, const Value& sum, const Value& x, int64_t axis) {
  const auto* op = op_as<ReduceSum>(maker(graph, sum));
  if (op == nullptr || !op->keepdims || maker(graph, sum).inputs[0] != x) return false;
  const int rank = graph.spec(x).rank();
  const auto chosen = op->axis.among(ReduceSum::kName, rank);
  return chosen.count() == 1 && chosen[normalize_axis(ReduceSum::kName, axis, rank)];
}

Value call_of(Graph& graph, const Elementwise& function, std::vector<Value> inputs) {
  const DType dtype = graph.spec(inputs[0]).dtype;
  return add_node(graph, ElementwiseOp(function.program(dtype)), std::move(inputs));
}

/// log(softmax(x)) is log_softmax(x), which is finite where a probability is too small for a
/// floating point number.
Simpler log_of_softmax(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  if (!is_call_of(node, alula::log)) return {};
  const auto* inner = op_as<Softmax>(maker(graph, node.inputs[0]));
  if (inner == nullptr) return {};
  const Value x = maker(graph, node.inputs[0]).inputs[0];
  return add_node(graph, LogSoftmax({.axis = inner->axis}), {x});
}

/// The gradient of the same: (d - sum(d p)) p with p = softmax(x) and d = dy / p, which is NaN
/// where p is 0. It is dy - p sum(dy).
Simpler gradient_of_log_of_softmax(Graph& graph, size_t i) {
  const auto is_softmax = [&](const Value& value) { return is_made_by<Softmax>(graph, value); };
  Value p, difference, d, products;
  if (!splits(graph.nodes[i], mul, is_softmax, p, difference)) return {};
  const Node& subtraction = maker(graph, difference);
  if (!is_call_of(subtraction, sub)) return {};
  d = subtraction.inputs[0];
  const Value sum = subtraction.inputs[1];
  if (!is_made_by<ReduceSum>(graph, sum)) return {};
  products = maker(graph, sum).inputs[0];
  const int64_t axis = op_as<Softmax>(maker(graph, p))->axis;
  const Node& product = maker(graph, products);
  Value same_p, same_d;
  if (!is_sum_over(graph, sum, products, axis) ||
      !splits(
          product, mul, [&](const Value& value) { return value == p; }, same_p, same_d) ||
      same_d != d)
    return {};
  const Node& quotient = maker(graph, d);  // the gradient of log
  if (quotient.kind != Node::Kind::kOp || std::string_view(quotient.op->name()) != "log_gradient" ||
      quotient.inputs.size() != 2 || quotient.inputs[0] != p)
    return {};
  const Value dy = quotient.inputs[1];
  if (graph.spec(dy) != graph.spec(p)) return {};
  const Value total = add_node(graph, ReduceSum({.axis = axis, .keepdims = true}), {dy});
  const Value share = call_of(graph, mul, {p, total});
  return call_of(graph, sub, {dy, share});
}

/// The cross-entropy of log_softmax(x) is that of x, and so is its gradient: the softmax of both is
/// the same.
Simpler cross_entropy_of_log_softmax(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  const bool is_one = op_as<SparseSoftmaxCrossEntropy>(node) != nullptr ||
                      op_as<SoftmaxCrossEntropy>(node) != nullptr ||
                      op_as<SparseSoftmaxCrossEntropyGradient>(node) != nullptr ||
                      op_as<SoftmaxCrossEntropyGradient>(node) != nullptr;
  if (!is_one || !is_over_classes<LogSoftmax>(graph, node.inputs[1])) return {};
  graph.nodes[i].inputs[1] = maker(graph, node.inputs[1]).inputs[0];
  return Value{i, 0};
}

/// The gradient of log_softmax, g - exp(log_softmax(x)) sum(g), is g if that is the gradient of a
/// cross-entropy: its rows have the sum 0.
Simpler gradient_through_log_softmax(Graph& graph, size_t i) {
  const Node& node = graph.nodes[i];
  if (!is_call_of(node, sub)) return {};
  const Value g = node.inputs[0];
  if (!is_made_by<SparseSoftmaxCrossEntropyGradient>(graph, g) &&
      !is_made_by<SoftmaxCrossEntropyGradient>(graph, g))
    return {};
  const auto is_probability = [&](const Value& value) {
    const Node& node = maker(graph, value);
    return is_call_of(node, alula::exp) && is_over_classes<LogSoftmax>(graph, node.inputs[0]);
  };
  Value p, sum;
  if (!splits(maker(graph, node.inputs[1]), mul, is_probability, p, sum) ||
      !is_sum_over(graph, sum, g, -1))
    return {};
  return g;
}

/// Whether a log_softmax over the classes is read by nobody but `reader`.
bool is_only_for(const Graph& graph, const Value& value, size_t reader) {
  size_t count = 0, others = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const Value& input : graph.nodes[i].inputs)
      if (input == value) ++(i == reader ? count : others);
  for (const Value& output : graph.outputs) others += output == value ? 1 : 0;
  for (const auto& [variable, update] : graph.updates) others += update == value ? 1 : 0;
  return count == 1 && others == 0;
}

/// -log_softmax(x)[label] is the sparse cross-entropy, where nothing else (a gradient, say) needs
/// the logarithms.
Simpler gathered_log_softmax(Graph& graph, size_t i) {
  if (!is_call_of(graph.nodes[i], neg)) return {};
  const Value picked = graph.nodes[i].inputs[0];
  const Node& gathering = maker(graph, picked);
  const auto* gather = op_as<Gather>(gathering);
  if (gather == nullptr || !is_over_classes<LogSoftmax>(graph, gathering.inputs[0])) return {};
  const Spec &logs = graph.spec(gathering.inputs[0]), &labels = graph.spec(gathering.inputs[1]);
  if (labels.shape != logs.shape.slice(0, logs.rank() - 1)) return {};
  if (gather->batch(logs, labels) != labels.rank()) return {};
  if (!is_only_for(graph, gathering.inputs[0], picked.node)) return {};
  const Value x = maker(graph, gathering.inputs[0]).inputs[0];
  return add_node(graph, SparseSoftmaxCrossEntropy(), {gathering.inputs[1], x});
}

/// -sum(y log_softmax(x)) is the cross-entropy, where nothing else needs the logarithms.
Simpler weighted_log_softmax(Graph& graph, size_t i) {
  if (!is_call_of(graph.nodes[i], neg)) return {};
  const Value sum = graph.nodes[i].inputs[0];
  const auto* reduce = op_as<ReduceSum>(maker(graph, sum));
  if (reduce == nullptr || reduce->keepdims) return {};
  const Value products = maker(graph, sum).inputs[0];
  const int rank = graph.spec(products).rank();
  const auto chosen = reduce->axis.among(ReduceSum::kName, rank);
  if (rank == 0 || chosen.count() != 1 || !chosen[rank - 1]) return {};
  const auto is_logs = [&](const Value& value) {
    return is_over_classes<LogSoftmax>(graph, value);
  };
  Value logs, y;
  if (!splits(maker(graph, products), mul, is_logs, logs, y) || graph.spec(y) != graph.spec(logs) ||
      graph.spec(logs).shape.back() == 0 || !is_only_for(graph, logs, products.node))
    return {};
  return add_node(graph, SoftmaxCrossEntropy(), {y, maker(graph, logs).inputs[0]});
}

constexpr Rule kRules[] = {log_of_softmax,
                           gradient_of_log_of_softmax,
                           cross_entropy_of_log_softmax,
                           gradient_through_log_softmax,
                           gathered_log_softmax,
                           weighted_log_softmax};

}  // namespace

/// Makes one op of a softmax, its logarithm and a cross-entropy that are written one by one.
/// Results agree to rounding where all probabilities are above 0; elsewhere the new ones are
/// finite. (A cross-entropy that bounds the probabilities first, as Keras's does, is another
/// function, and stays: Keras's own finds the logits before it comes to that.)
void simplify_softmax(Graph& graph) { apply_rules(graph, kRules); }

}  // namespace alula::graph
