#include "alula/graph/control/control_op.h"

#include "alula/graph/control/loop.h"
#include "alula/graph/edit.h"
#include "alula/ops/fill.h"
#include "alula/runtime/unheard.h"

namespace alula::graph {
namespace {

/// Calls an op for each element: a loop that is one node, as of map_fn.
Tensors for_each_element(const Op& op, std::span<const BatchedInput> inputs, int64_t size) {
  LoopRequest request{.name = op.name(), .function = "function", .variable = "result"};
  for (const BatchedInput& input : inputs)
    if (input.batched) request.sources.push_back(LoopSource::of_rows(input.value));
  if (request.sources.empty())  // it draws, or has effects: then it counts how often it is called
    request.sources.push_back(LoopSource::of_rows(zeros({size}, int32)));
  request.step = [&](const std::vector<Tensor>& elements) {
    std::vector<Tensor> values;
    size_t next = 0;
    for (const BatchedInput& input : inputs)
      values.push_back(input.batched ? elements[next++] : input.value);
    const Tensors outputs = call_all(op, values);
    return std::vector<Tensor>(outputs.begin(), outputs.end());
  };
  const std::vector<Tensor> stacked = make_loop(request).products;
  return {stacked.begin(), stacked.end()};
}

struct HasControl {
  std::shared_ptr<const Control> control;
};

/// Two classes, since whether calls of an op have effects is a property of its class.
template <bool kHasEffects>
struct ControlOp final : OpOf<ControlOp<kHasEffects>>, HasControl {
  static constexpr const char* kName = "control_flow";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kHost = true;
  static constexpr bool kEffects = kHasEffects;

  explicit ControlOp(std::shared_ptr<const Control> control) : HasControl{std::move(control)} {}
  const char* name() const override { return control->name(); }
  Specs infer(SpecRefs inputs) const override { return control->infer(inputs); }
  Gradients gradient(const Recorded& call) const override { return control->gradient(call); }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override {
    return for_each_element(*this, inputs, size);
  }
  Attributes attributes() const override { return control->attributes(); }
  Tensors run_on_host(TensorRefs inputs) const override {
    const Unheard unheard;
    return control->run(inputs);
  }
};

std::shared_ptr<const Op> make_op(std::shared_ptr<const Control> control) {
  if (control->has_effects()) return std::make_shared<const ControlOp<true>>(std::move(control));
  return std::make_shared<const ControlOp<false>>(std::move(control));
}

}  // namespace

Tensors call_control(std::shared_ptr<const Control> control, std::span<const Tensor> inputs) {
  const std::shared_ptr<const Op> op = make_op(std::move(control));
  if (!t_state.tracing()) return call_all(*op, inputs);
  // Even if all inputs are there: a branch that is never taken may contain a loop without end.
  std::vector<const Tensor*> refs;
  for (const Tensor& input : inputs) refs.push_back(&input);
  return call_later(*op, TensorRefs(refs));
}

void drop_histories(Graph& graph) {
  const auto control_of = [](const Node& node) {
    const auto* op =
        node.kind == Node::Kind::kOp ? dynamic_cast<const HasControl*>(node.op.get()) : nullptr;
    return op == nullptr ? nullptr : op->control->without_history();
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    std::shared_ptr<const Control> plain = control_of(graph.nodes[i]);
    if (plain == nullptr) continue;
    const Readers readers(graph);
    if (readers.count({i, static_cast<int>(graph.nodes[i].outputs.size()) - 1}) == 0)
      graph.nodes[i].op = make_op(std::move(plain));
  }
}

void check_inputs(const char* who, SpecRefs inputs, std::span<const Spec> wanted) {
  require<InternalError>(inputs.size() == wanted.size(), "{}: takes {} inputs. Got {}.", who,
                         wanted.size(), inputs.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    require(inputs[i].dtype == wanted[i].dtype && compatible(inputs[i].shape, wanted[i].shape),
            "{}: input {} must be {}. Got {}.", who, i, wanted[i], inputs[i]);
}

bool fits(const Spec& declared, const Spec& got) {
  if (declared.dtype != got.dtype || declared.rank() != got.rank()) return false;
  for (int axis = 0; axis < got.rank(); ++axis)
    if (declared.shape[axis] != kUnknown && declared.shape[axis] != got.shape[axis]) return false;
  return true;
}

}  // namespace alula::graph
