#include "alula/backends/cpu/jit_nodes.h"

#include <algorithm>

namespace alula::cpu::jit {
namespace {

Lane lane_of(Op op) {
  switch (op) {
    case Op::kCompare:
    case Op::kCompareInteger:
    case Op::kBoth:
    case Op::kEither:
    case Op::kDiffer:
    case Op::kInvert: return Lane::kTruth;
    default: return Lane::kWord;
  }
}

}  // namespace

Id Nodes::push(Node node) {
  nodes_.push_back(node);
  return static_cast<Id>(nodes_.size() - 1);
}

Id Nodes::constant(uint32_t bits) {
  for (Id id : constants_)
    if (nodes_[id].payload == bits) return id;
  constants_.push_back(push({.op = Op::kConstant, .uniform = true, .payload = bits}));
  return constants_.back();
}

Id Nodes::parameter(DType dtype, uint32_t word) {
  const Lane lane = dtype == boolean ? Lane::kTruth : Lane::kWord;
  return push(
      {.op = Op::kParameter, .lane = lane, .dtype = dtype, .uniform = true, .payload = word});
}

Id Nodes::load(DType dtype, uint32_t input, bool one) {
  return push({.op = one ? Op::kLoadOne : Op::kLoad,
               .lane = dtype == boolean ? Lane::kTruth : Lane::kWord,
               .dtype = dtype,
               .uniform = one,
               .payload = input});
}

void Nodes::store(Id value, DType dtype, uint32_t output) {
  // A store rounds to 16 bits itself.
  if (dtype == float16 && nodes_[value].op == Op::kRoundToHalf) value = nodes_[value].operands[0];
  push({.op = Op::kStore, .dtype = dtype, .operands = {value, kNone, kNone}, .payload = output});
}

void Nodes::check(Id truth) { push({.op = Op::kCheck, .operands = {truth, kNone, kNone}}); }

Id Nodes::add(Op op, Id a, Id b, Id c, int immediate) {
  Node node{.op = op,
            .lane = op == Op::kSelect ? nodes_[b].lane : lane_of(op),
            .immediate = static_cast<uint8_t>(immediate),
            .uniform = true,
            .operands = {a, b, c}};
  for (Id operand : node.operands)
    if (operand != kNone) node.uniform = node.uniform && nodes_[operand].uniform;
  return push(node);
}

void Nodes::mark_live() {
  for (size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    node.live = node.live || node.op == Op::kStore || node.op == Op::kCheck;
    if (!node.live) continue;
    for (Id operand : node.operands)
      if (operand != kNone) nodes_[operand].live = true;
  }
}

}  // namespace alula::cpu::jit
