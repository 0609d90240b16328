#include "alula/graph/passes/simplify.h"
#include "alula/scalar/compose.h"

namespace alula::graph {
namespace {

const scalar::Program* cast_of(const Node& node) {
  const auto* op = op_as<ElementwiseOp>(node);
  if (op == nullptr) return nullptr;
  const std::vector<scalar::Instruction>& code = op->program().code();
  const bool is_cast = code.size() == 2 && code[1].opcode == scalar::Opcode::kCast;
  return is_cast ? &op->program() : nullptr;
}

ElementwiseOp cast_op(DType from, DType to) {
  scalar::Builder builder;
  const scalar::Scalar result = scalar::cast(builder.input(from), to);
  return ElementwiseOp(scalar::interned(builder.finish("cast", {&result, 1})));
}

/// Two casts are one if the first loses nothing. (Integers that don't fit keep their low bits, but
/// floating point numbers become the nearest integer that fits: with an integer, a floating type
/// and an integer again, one cast would give other numbers unless all fit.)
Simpler one_of_two_casts(Graph& graph, size_t i) {
  const scalar::Program* outer = cast_of(graph.nodes[i]);
  if (outer == nullptr) return {};
  const Value between = graph.nodes[i].inputs[0];
  const scalar::Program* inner = cast_of(maker(graph, between));
  if (inner == nullptr) return {};
  const DType from = inner->inputs()[0], to = outer->output();
  if (!is_lossless(from, inner->output())) return {};
  const bool saturates = is_integer(from) && is_floating(inner->output()) && is_integer(to);
  if (saturates && !is_lossless(from, to)) return {};
  const Value x = maker(graph, between).inputs[0];
  return from == to ? x : add_node(graph, cast_op(from, to), {x});
}

constexpr Rule kRules[] = {one_of_two_casts};

}  // namespace

std::span<const Rule> cast_rules() { return kRules; }

}  // namespace alula::graph
