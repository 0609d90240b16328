#include "alula/graph/compat/executable.h"

#include <algorithm>

#include "alula/graph/compiled.h"
#include "alula/graph/run.h"
#include "alula/runtime/devices.h"

namespace alula::compat::v1::internal {
namespace {

using graph::Node;

class OnCpu final : public Runnable {
 public:
  explicit OnCpu(graph::Graph graph) : compiled_(std::move(graph)) {}
  Tensors run(TensorRefs inputs) override { return compiled_.run(inputs); }

 private:
  graph::Compiled compiled_;
};

/// Through dispatch, which moves operands where they are needed.
class OpByOp final : public Runnable {
 public:
  OpByOp(graph::Graph graph, std::unordered_map<const Op*, Device> devices)
      : graph_(std::move(graph)), devices_(std::move(devices)) {}

  Tensors run(TensorRefs inputs) override {
    return graph::run(graph_, inputs,
                      [&](const Node& node, const Op& op, std::span<const Tensor> operands) {
                        const auto where = devices_.find(node.op.get());
                        if (where == devices_.end()) return call_all(op, operands);
                        const DeviceScope scope(where->second);
                        return call_all(op, operands);
                      });
  }

 private:
  graph::Graph graph_;
  std::unordered_map<const Op*, Device> devices_;
};

bool all_on_cpu(const Lowered& lowered) {
  const bool ops = std::all_of(lowered.devices.begin(), lowered.devices.end(),
                               [](const auto& place) { return place.second.is_cpu(); });
  return ops &&
         std::all_of(lowered.graph.nodes.begin(), lowered.graph.nodes.end(), [](const Node& node) {
           if (node.kind == Node::Kind::kConstant) return node.constant.device().is_cpu();
           if (node.kind == Node::Kind::kVariable) return node.variable.device().is_cpu();
           return true;
         });
}

}  // namespace

std::unique_ptr<Runnable> make_runnable(Lowered& lowered) {
  if (all_on_cpu(lowered)) return std::make_unique<OnCpu>(std::move(lowered.graph));
  return std::make_unique<OpByOp>(std::move(lowered.graph), std::move(lowered.devices));
}

}  // namespace alula::compat::v1::internal
