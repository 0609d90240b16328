#include "alula/graph/place.h"

#include <algorithm>

#include "alula/core/log.h"
#include "alula/graph/layout.h"
#include "alula/ops/random.h"
#include "alula/ops/slice.h"
#include "alula/runtime/devices.h"

namespace alula::graph {
namespace {

/// Numbers that are brought to a device as quickly as a kernel is launched.
constexpr int64_t kFew = 1024;

/// Whether a kernel makes the random numbers of a node, from what the host tells it to. The host
/// itself makes a few, where its own are the same to the last digit.
bool are_made_there(const Node& node, Device device) {
  if (device.type != DeviceType::kGPU) return false;
  if (dynamic_cast<const RandomUniform*>(node.op.get()) != nullptr)
    return node.outputs[0].shape.size() > kFew;
  return dynamic_cast<const RandomDraw*>(node.op.get()) != nullptr;
}

bool is_scalar(const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [](const Spec& output) { return output.shape.rank() == 0; });
}

bool has_strings(const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [](const Spec& output) { return output.dtype == string; });
}

bool runs_there(const Graph& graph, const Node& node, const Backend& backend) {
  if (node.op->type().host || has_strings(node)) return false;
  std::vector<const Spec*> specs;
  for (const Value& input : node.inputs) specs.push_back(&graph.spec(input));
  if (node.op->type().view) return true;
  return backend.supports(*node.op, SpecRefs(specs));
}

/// Whether a node is a part of a few numbers that the host has made.
bool is_part_of_made(const Graph& graph, const Node& node) {
  if (node.kind != Node::Kind::kOp || dynamic_cast<const Slice*>(node.op.get()) == nullptr)
    return false;
  const Value whole = root_of(graph, node.inputs[0]);
  return is_made(graph.nodes[whole.node]) && graph.spec(whole).shape.size() <= kFew;
}

/// Finds the counters: variables of one number, and what is computed from them and constants alone,
/// as long as nothing but the like and the host reads any of it.
class Counters {
 public:
  explicit Counters(const Graph& graph) : graph_(graph), counts_(graph.nodes.size(), false) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) counts_[i] = may_count(graph.nodes[i]);
    while (leave_out_readers() || leave_out_read() || leave_out_updates()) {
    }
  }
  bool operator[](size_t i) const { return counts_[i]; }

 private:
  using Kind = Node::Kind;

  bool may_count(const Node& node) const {
    if (node.kind == Kind::kVariable) return is_scalar(node) && node.outputs[0].dtype != string;
    if (node.kind != Kind::kOp || !is_scalar(node) || node.op->type().random) return false;
    if (node.inputs.empty()) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Value& input) {
      return counts_[input.node] || graph_.nodes[input.node].kind == Kind::kConstant;
    });
  }
  /// What reads something that does not count.
  bool leave_out_readers() {
    return leave_out(
        [&](size_t i) { return graph_.nodes[i].kind == Kind::kOp && !may_count(graph_.nodes[i]); });
  }
  /// What is read by something that does not count, and is no host code.
  bool leave_out_read() {
    std::vector<bool> read(graph_.nodes.size(), false);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      const bool by_host = node.kind == Kind::kOp && node.op->type().host;
      if (counts_[i] || by_host) continue;
      for (const Value& input : node.inputs) read[input.node] = true;
    }
    return leave_out([&](size_t i) { return read[i]; });
  }
  /// A variable and its new value are at the same place.
  bool leave_out_updates() {
    std::vector<bool> apart(graph_.nodes.size(), false);
    for (const auto& [variable, value] : graph_.updates) {
      const size_t old = node_of(graph_, variable);
      if (counts_[old] != counts_[value.node]) apart[old] = apart[value.node] = true;
    }
    return leave_out([&](size_t i) { return apart[i]; });
  }
  template <class Predicate>
  bool leave_out(const Predicate& predicate) {
    bool any = false;
    for (size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] && predicate(i)) {
        counts_[i] = false;
        any = true;
      }
    return any;
  }

  const Graph& graph_;
  std::vector<bool> counts_;
};

}  // namespace

void place_on(Graph& graph, Device device) {
  const Backend& backend = backend_of(device);
  const Counters counters(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    node.by_host = Node::Host::kNo;
    if (counters[i] || is_part_of_made(graph, node)) {
      node.by_host = Node::Host::kComputes;
    } else if (node.kind == Node::Kind::kOp && !runs_there(graph, node, backend)) {
      node.by_host = Node::Host::kComputes;
      logging::info("function: {} runs on the host, because there is no kernel for it on {}.",
                    node.op->name(), device);
    } else if (node.kind == Node::Kind::kOp && node.op->type().random) {
      node.by_host = are_made_there(node, device) ? Node::Host::kDraws : Node::Host::kComputes;
    }
  }
}

std::vector<Variable> host_variables(const Graph& graph) {
  std::vector<Variable> variables;
  for (const Node& node : graph.nodes)
    if (node.kind == Node::Kind::kVariable && node.by_host == Node::Host::kComputes)
      variables.push_back(node.variable);
  return variables;
}

}  // namespace alula::graph
