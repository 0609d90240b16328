#include "alula/autograd/custom_gradient.h"

#include <algorithm>

#include "alula/ops/stop_gradient.h"
#include "alula/runtime/building.h"

namespace alula::internal {
namespace {

/// What listeners are told of. It never runs: its outputs are there already.
struct CustomGradientOp final : OpOf<CustomGradientOp> {
  static constexpr const char* kName = "custom_gradient";
  static constexpr DTypeSet kDTypes = kAnyType;

  std::shared_ptr<const GradientFunction> function;
  Specs outputs;

  CustomGradientOp(std::shared_ptr<const GradientFunction> function, Specs outputs)
      : function(std::move(function)), outputs(std::move(outputs)) {}
  Specs infer(SpecRefs) const override { return outputs; }
  Attributes attributes() const override {
    return {{"function", static_cast<const void*>(function.get())}};
  }
  Gradients gradient(const Recorded& call) const override;
  /// The function holds what it needs.
  Needs needs(IndexSet) const override { return {.inputs = {}, .outputs = {}}; }
};

Gradients CustomGradientOp::gradient(const Recorded& call) const {
  const std::vector<Tensor> gradients = (*function)(call.all_dy());
  require(gradients.size() == call.inputs(),
          "{}: the function of the gradient gave {} tensor{} for {} input{}. Return one for each; "
          "an undefined one where there is none.",
          kName, gradients.size(), gradients.size() == 1 ? "" : "s", call.inputs(),
          call.inputs() == 1 ? "" : "s");
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].defined() && call.wants(i))
      require(gradients[i].spec() == call.input_spec(i),
              "{}: the gradient with respect to input {} must be like it, {}. Got {}.", kName, i,
              call.input_spec(i), gradients[i].spec());
  return Gradients(gradients.begin(), gradients.end());
}

/// The same elements as tensors of their own: no gradient leads to how they were computed.
std::vector<Tensor> detached(const std::vector<Tensor>& values) {
  std::vector<Tensor> copies;
  for (const Tensor& value : values)
    copies.push_back(value.is_symbolic() ? stop_gradient(value) : value.reshaped(value.shape()));
  return copies;
}

Specs specs_of(const std::vector<Tensor>& tensors) {
  Specs specs;
  for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

/// The function, for when its inputs are there.
class CustomCall final : public Call {
 public:
  CustomCall(CustomFunction f, std::span<const Tensor> inputs)
      : Call({inputs.begin(), inputs.end()}), f_(std::move(f)) {}
  Tensors run(std::span<const Tensor> values) const override {
    const std::vector<Tensor> results = run_custom(f_, values);
    return Tensors(results.begin(), results.end());
  }

 private:
  CustomFunction f_;
};

}  // namespace

std::vector<Tensor> run_custom(const CustomFunction& f, std::span<const Tensor> inputs) {
  ValuesWithGradient result = f(inputs);
  for (const Tensor& value : result.values)
    require(value.defined(), "custom_gradient: the function gave an undefined tensor.");
  const bool later = std::any_of(inputs.begin(), inputs.end(),
                                 [](const Tensor& input) { return input.is_symbolic(); });
  // In a function that is being traced, tapes hear of it now, as of every other call.
  if (later && (!t_state.tracing() || graph_builder() != nullptr)) {
    const Tensors values =
        symbolic_outputs(std::make_shared<CustomCall>(f, inputs), specs_of(result.values));
    return {values.begin(), values.end()};
  }
  if ((t_state.flags & ThreadState::kListening) == 0 || result.values.empty()) return result.values;
  const std::vector<Tensor> values = detached(result.values);
  std::vector<const Tensor*> refs;
  for (const Tensor& input : inputs) refs.push_back(&input);
  const CustomGradientOp op(std::make_shared<const GradientFunction>(std::move(result.gradient)),
                            specs_of(values));
  tell_listeners(op, values[0].device(), TensorRefs(refs), values);
  return values;
}

}  // namespace alula::internal
