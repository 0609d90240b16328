#include "alula/ops/host_function.h"

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<HostFunction> registered;

/// While one lives, ops of this thread are nobody's business: neither a tape's nor a trace's.
class Apart {
 public:
  Apart() : listener_(t_state.listener), flags_(t_state.flags & kHidden) {
    t_state.listener = nullptr;
    t_state.flags &= ~kHidden;
  }
  ~Apart() {
    t_state.listener = listener_;
    t_state.flags |= flags_;
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

 private:
  static constexpr uint32_t kHidden = ThreadState::kListening | ThreadState::kTracing;
  Listener* listener_;
  uint32_t flags_;
};

}  // namespace

Specs HostFunction::infer(SpecRefs) const {
  if (output_specs.empty()) return {{int32, {}}};
  return {output_specs.begin(), output_specs.end()};
}

Tensors HostFunction::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

Attributes HostFunction::attributes() const {
  return {{"output_specs", fmt::format("[{}]", fmt::join(output_specs, ", "))}};
}

Tensors HostFunction::run_on_host(TensorRefs inputs) const {
  std::vector<Tensor> values;
  for (size_t i = 0; i < inputs.size(); ++i) values.push_back(inputs[i]);
  const Apart apart;
  const std::vector<Tensor> results = (*function)(values);
  require(results.size() == output_specs.size(),
          "{}: the function returned {} tensors, but output_specs has {}.", name(), results.size(),
          output_specs.size());
  if (results.empty()) return {Tensor(0)};
  Tensors outputs;
  for (const Tensor& result : results)  // a tensor of its own, even if it is an input: no gradient
    outputs.push_back(result.defined() ? result.reshaped(result.shape()) : result);
  return outputs;
}

std::vector<Tensor> host_function(HostFunctionOfTensors function, const std::vector<Tensor>& inputs,
                                  const std::vector<Spec>& output_specs) {
  require(function != nullptr, "{}: there is no function to call.", HostFunction::kName);
  HostFunction op;
  op.function = std::make_shared<const HostFunctionOfTensors>(std::move(function));
  op.output_specs = output_specs;
  const Tensors outputs = call_all(op, inputs);
  if (output_specs.empty()) return {};
  return {outputs.begin(), outputs.end()};
}

Tensor host_function(std::function<Tensor(const Tensor&)> function, const Tensor& input,
                     const Spec& output_spec) {
  require(function != nullptr, "{}: there is no function to call.", HostFunction::kName);
  const auto of_all = [function = std::move(function)](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{function(inputs[0])};
  };
  return host_function(HostFunctionOfTensors(of_all), std::vector<Tensor>{input},
                       std::vector<Spec>{output_spec})[0];
}

}  // namespace alula
