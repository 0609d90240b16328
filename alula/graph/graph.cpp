#include "alula/graph/graph.h"

namespace alula::graph {
namespace {

std::string name_of(const Graph& graph, const Value& value) {
  const bool several = graph.nodes[value.node].outputs.size() > 1;
  return several ? fmt::format("%{}.{}", value.node, value.index) : fmt::format("%{}", value.node);
}

std::string what_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kInput: return "input";
    case Node::Kind::kConstant:
      return node.constant.size() == 1 ? fmt::format("constant {}", node.constant) : "constant";
    case Node::Kind::kVariable: return fmt::format("variable '{}'", node.variable.name());
    case Node::Kind::kHost: return "host";
    case Node::Kind::kOp: return node.op->name();
  }
  return {};
}

}  // namespace

std::string Graph::str() const {
  std::string text;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    text += fmt::format("%{} = {}", i, what_of(node));
    for (const Value& input : node.inputs) text += fmt::format(" {}", name_of(*this, input));
    text += " :";
    for (const Spec& output : node.outputs) text += fmt::format(" {}", output);
    text += '\n';
  }
  for (const auto& [variable, value] : updates)
    text += fmt::format("'{}' = {}\n", variable.name(), name_of(*this, value));
  text += "return";
  for (const Value& output : outputs) text += fmt::format(" {}", name_of(*this, output));
  return text + "\n";
}

}  // namespace alula::graph
