#include "alula/graph/passes/simplify.h"

#include <cmath>
#include <cstring>

#include "alula/graph/passes.h"
#include "alula/ops/fill.h"
#include "alula/ops/tile.h"

namespace alula::graph {
namespace {

/// A number, unless it is an integer beyond those that a double tells apart.
std::optional<double> exact(double number, DType dtype) {
  constexpr double kLargest = 0x1p53;
  if (is_integer(dtype) && std::abs(number) >= kLargest) return {};
  return number;
}

/// The first of equal elements, as a number.
std::optional<double> number_in(const Tensor& constant) {
  if (constant.size() == 0 || constant.dtype() == string) return {};
  const Tensor here = constant.cpu();
  const auto* bytes = static_cast<const char*>(here.data());
  const auto element = size_of(here.dtype()), all = static_cast<size_t>(here.bytes());
  if (std::memcmp(bytes, bytes + element, all - element) != 0) return {};
  return with_type(here.dtype(), [&]<class T>(Type<T>) -> std::optional<double> {
    if constexpr (std::same_as<T, std::string>)
      return {};
    else
      return exact(static_cast<double>(*reinterpret_cast<const T*>(bytes)), here.dtype());
  });
}

int mantissa_bits(DType dtype) {  // of integers: those of the largest
  switch (dtype) {
    case float16: return 11;
    case bfloat16: return 8;
    case float32: return 24;
    case float64: return 53;
    case boolean: return 1;
    default: return static_cast<int>(8 * size_of(dtype)) - (kSigned.contains(dtype) ? 1 : 0);
  }
}

}  // namespace

bool is_call_of(const Node& node, const Elementwise& function) {
  const auto* op = op_as<ElementwiseOp>(node);
  if (op == nullptr || op->program().name() != function.name()) return false;
  const DType dtype = op->program().inputs().back();
  return function.dtypes().contains(dtype) && &function.program(dtype) == &op->program();
}

std::optional<double> uniform_number(const Graph& graph, Value value) {
  for (;;) {
    const Node& node = maker(graph, value);
    if (node.kind == Node::Kind::kConstant) return number_in(node.constant);
    if (node.kind != Node::Kind::kOp) return {};
    if (const auto* filled = op_as<Fill>(node))
      return exact(filled->value.as_double(), filled->dtype);
    if (op_as<ZerosLike>(node) != nullptr) return 0;
    if (op_as<OnesLike>(node) != nullptr) return 1;
    if (!node.op->type().view && op_as<BroadcastTo>(node) == nullptr) return {};
    value = node.inputs[0];
  }
}

bool is_lossless(DType from, DType to) {
  if (from == to) return true;
  if (from == string || to == string || to == boolean) return false;
  if (from == boolean) return true;
  if (is_floating(from))
    return to == float64 || (to == float32 && is_half(from));  // 16 bits of two kinds
  const bool is_signed = kSigned.contains(from) && !kSigned.contains(to);
  // float16 ends at 65504, which is above 2^11: what fits its mantissa fits.
  return !is_signed && mantissa_bits(from) <= mantissa_bits(to);
}

void apply_rules(Graph& graph, std::span<const Rule> rules) {
  std::vector<bool> gone;  // nodes that have been replaced: nobody reads them
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      gone.resize(graph.nodes.size(), false);
      if (gone[i] || graph.nodes[i].kind != Node::Kind::kOp) continue;
      for (const Rule rule : rules) {
        const Simpler simpler = rule(graph, i);
        if (!simpler) continue;
        changed = true;
        if (simpler->node == i) continue;
        replace(graph, {i, 0}, *simpler);
        gone[i] = true;
        break;
      }
    }
  }
}

/// Replaces nodes by simpler ones that give the same: x for x * 1, one transposition for two, …
/// Results are the same to the bit, but for the sign of a zero (x + 0 is x, even where that is -0).
void simplify(Graph& graph) {
  std::vector<Rule> rules;
  for (const auto family : {arithmetic_rules(), cast_rules(), movement_rules()})
    rules.insert(rules.end(), family.begin(), family.end());
  apply_rules(graph, rules);
  // A variable that becomes what it is stays as it is.
  std::erase_if(graph.updates, [&](const auto& update) {
    const Node& node = maker(graph, update.second);
    return node.kind == Node::Kind::kVariable && node.variable.same_as(update.first);
  });
}

}  // namespace alula::graph
