#include "alula/graph/graph.h"

#include "alula/core/fingerprint.h"

namespace alula::graph {
namespace {

std::string name_of(const Graph& graph, const Value& value) {
  const bool several = graph.nodes[value.node].outputs.size() > 1;
  return several ? fmt::format("%{}.{}", value.node, value.index) : fmt::format("%{}", value.node);
}

std::string all_elements(const Tensor& tensor) {
  std::string text;
  with_type(tensor.dtype(), [&]<class T>(Type<T>) {
    const auto* elements = static_cast<const T*>(tensor.data());
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (i > 0) text += ',';
      if constexpr (std::floating_point<T> || std::integral<T> || std::same_as<T, std::string>)
        text += fmt::format("{}", elements[i]);
      else  // 16-bit floats
        text += fmt::format("{}", static_cast<float>(elements[i]));
    }
  });
  return text;
}

/// Short constants are shown; of others a number that changes with the contents.
std::string text_of(const Tensor& constant) {
  constexpr int64_t kMostShown = 8;
  if (constant.size() == 1) return fmt::format("{}", constant);
  const Tensor here = constant.cpu();
  if (here.size() <= kMostShown) return fmt::format("[{}]", all_elements(here));
  if (here.dtype() == string) return fmt::format("#{:016x}", fingerprint(all_elements(here)));
  const std::string_view bytes(static_cast<const char*>(here.data()),
                               static_cast<size_t>(here.bytes()));
  return fmt::format("#{:016x}", fingerprint(bytes));
}

std::string what_of(const Op& op) {
  const std::string attributes = to_string(op.attributes());
  return attributes.empty() ? op.name() : fmt::format("{}({})", op.name(), attributes);
}

std::string what_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kInput: return "input";
    case Node::Kind::kConstant: return fmt::format("constant {}", text_of(node.constant));
    case Node::Kind::kVariable: return fmt::format("variable '{}'", node.variable.name());
    case Node::Kind::kHost: return "host";
    case Node::Kind::kOp: return what_of(*node.op);
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
