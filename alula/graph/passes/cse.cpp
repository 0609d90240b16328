#include <algorithm>
#include <unordered_map>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/elementwise.h"

namespace alula::graph {
namespace {

/// Larger constants are not compared: they are told apart by where they are.
constexpr int64_t kLargestCompared = 4096;

/// Whether the order of the two inputs is of no matter: one commutative instruction, casts apart.
bool is_commutative(const Op& op) {
  using enum scalar::Opcode;
  const auto* elementwise = dynamic_cast<const ElementwiseOp*>(&op);
  if (elementwise == nullptr || elementwise->program().inputs().size() != 2) return false;
  int others = 0;
  for (const scalar::Instruction& step : elementwise->program().code()) {
    if (step.opcode == kInput || step.opcode == kCast) continue;
    constexpr scalar::Opcode kEither[] = {kAdd, kMul, kMin, kMax, kEqual, kNotEqual, kAnd, kOr};
    if (std::find(std::begin(kEither), std::end(kEither), step.opcode) == std::end(kEither))
      return false;
    ++others;
  }
  return others == 1;
}

/// What a node computes, as text: nodes with the same text are the same. Empty if it is like no
/// other.
std::string key_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kConstant: {
      const Tensor& constant = node.constant;
      const void* where = constant.data();
      if (constant.dtype() == string || constant.bytes() > kLargestCompared ||
          !constant.device().is_cpu())
        return fmt::format("constant {} at {} on {}", constant.spec(), where, constant.device());
      return fmt::format("constant {} ", constant.spec()) +
             std::string(static_cast<const char*>(where), static_cast<size_t>(constant.bytes()));
    }
    case Node::Kind::kVariable: return fmt::format("variable {}", node.variable.key());
    case Node::Kind::kOp: {
      if (node.op->type().random || node.op->type().effects) return {};
      std::vector<Value> inputs = node.inputs;
      if (is_commutative(*node.op))
        std::sort(inputs.begin(), inputs.end(), [](const Value& a, const Value& b) {
          return std::pair(a.node, a.index) < std::pair(b.node, b.index);
        });
      std::string key = fmt::format("{} {} ({})", static_cast<const void*>(&node.op->type()),
                                    node.op->name(), to_string(node.op->attributes()));
      for (const Value& input : inputs) key += fmt::format(" {}.{}", input.node, input.index);
      return key;
    }
    default: return {};
  }
}

}  // namespace

/// Computes only once what several nodes compute: the same op of the same inputs.
void common_subexpressions(Graph& graph) {
  std::unordered_map<std::string, size_t> known;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string key = key_of(graph.nodes[i]);
    if (key.empty()) continue;
    const auto [first, fresh] = known.emplace(key, i);
    if (fresh) continue;
    for (size_t k = 0; k < graph.nodes[i].outputs.size(); ++k)
      replace(graph, {i, static_cast<int>(k)}, {first->second, static_cast<int>(k)});
  }
}

}  // namespace alula::graph
