#include "alula/graph/function.h"

#include "alula/core/log.h"

namespace alula::graph {

Device place_of(TensorRefs inputs) {
  if (t_state.flags & ThreadState::kDeviceScope) return t_state.device;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].device().is_cpu()) return inputs[i].device();
  return kCPU;
}

bool Traces::Trace::fits(TensorRefs inputs, Device on) const {
  if (device != on) return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (signature[i] != inputs[i].spec()) return false;
  return true;
}

Compiled& Traces::find(TensorRefs inputs) {
  const Device device = place_of(inputs);
  const Trace* latest = latest_.load(std::memory_order_acquire);
  if (latest != nullptr && latest->fits(inputs, device)) return *latest->compiled;
  return find_or_trace(inputs, device);
}

Compiled& Traces::find_or_trace(TensorRefs inputs, Device device) {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Trace>& trace : traces_)
    if (trace->fits(inputs, device)) {
      latest_.store(trace.get(), std::memory_order_release);
      return *trace->compiled;
    }
  auto trace = std::make_unique<Trace>();
  for (size_t i = 0; i < inputs.size(); ++i) trace->signature.push_back(inputs[i].spec());
  trace->device = device;
  warn_of_many(trace->signature);
  trace->compiled =
      std::make_unique<Compiled>(graph::trace(function_, trace->signature), options_, device);
  traces_.push_back(std::move(trace));
  latest_.store(traces_.back().get(), std::memory_order_release);
  return *traces_.back()->compiled;
}

void Traces::warn_of_many(const std::vector<Spec>& signature) {
  constexpr size_t kMany = 5;
  if (warned_ || traces_.size() < kMany) return;
  warned_ = true;
  const std::vector<Spec>& before = traces_.back()->signature;
  size_t i = 0;
  while (i + 1 < signature.size() && signature[i] == before[i]) ++i;
  logging::warn(
      "{}: it has been traced {} times, and is traced again because input {} was {} and is {} now. "
      "Each trace takes time; call it with few different shapes. (This is said once.)",
      name_, traces_.size(), i, before[i], signature[i]);
}

Tensors Traces::call(TensorRefs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    require(inputs[i].defined(), "function: input {} is not defined yet.", i);
  if (!t_state.tracing()) return find(inputs).run(inputs);
  std::vector<Tensor> values;  // part of the function around it
  for (size_t i = 0; i < inputs.size(); ++i) values.push_back(inputs[i]);
  const std::vector<Tensor> results = function_(values);
  return {results.begin(), results.end()};
}

}  // namespace alula::graph
