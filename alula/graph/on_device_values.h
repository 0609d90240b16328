#pragma once
#include <map>

#include "alula/graph/control/history.h"
#include "alula/graph/on_device.h"
#include "alula/runtime/devices.h"

/// What building a list of kernel calls and running it have in common.
namespace alula::graph {

constexpr size_t kDeviceAlignment = 256;  // of what lies in the feed

/// What a kernel that draws random numbers is told: the stream's key and counter.
inline const Spec& stream_spec() {
  static const Spec spec{uint64, {3}};
  return spec;
}

/// Strings, and what loops keep for their gradients: only code of the host reads them.
inline bool stays_on_host(const Tensor& tensor) {
  return tensor.dtype() == string || carries_history(tensor);
}

/// The tensor itself, with the notes on it, if it has that shape.
inline Tensor in_shape(const Tensor& tensor, const Shape& shape) {
  return tensor.shape() == shape ? tensor : tensor.reshaped(shape);
}

/// What the host has made in the current run, by node; variables that stay with it, too.
class OnDevice::HostValues {
 public:
  explicit HostValues(const Graph& graph) : graph_(graph), values_(graph.nodes.size()) {
    // Constants may have been made on the device: to fetch one at each run would be to wait there.
    for (const Node& node : graph.nodes)
      if (is_made(node))
        for (const Value& input : node.inputs) {
          const Node& from = graph.nodes[root_of(graph, input).node];
          if (from.kind == Node::Kind::kConstant)
            values_[root_of(graph, input).node] = {moved(from.constant, kCPU)};
        }
  }

  /// Where a variable's old value is kept, by node.
  std::map<size_t, int> old_slots;
  int old_slot(const Value& value) const {
    const auto at = old_slots.find(value.node);
    return at == old_slots.end() ? -1 : at->second;
  }

  void set(size_t node, Tensors values) { values_[node] = std::move(values); }
  bool has(const Value& value) const {
    const Node& node = graph_.nodes[value.node];
    return is_made(node) || node.kind == Node::Kind::kConstant || is_host_variable(node);
  }
  Tensor get(const Value& value) const {
    const Node& node = graph_.nodes[value.node];
    if (is_host_variable(node)) return node.variable.storage();
    if (node.kind == Node::Kind::kConstant && values_[value.node].empty())
      return moved(node.constant, kCPU);
    return values_[value.node][static_cast<size_t>(value.index)];
  }

 private:
  static bool is_host_variable(const Node& node) {
    return node.kind == Node::Kind::kVariable && node.by_host == Node::Host::kComputes;
  }

  const Graph& graph_;
  std::vector<Tensors> values_;
};

}  // namespace alula::graph
