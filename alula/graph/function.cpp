#include "alula/graph/function.h"

#include <algorithm>

#include "alula/core/log.h"
#include "alula/runtime/devices.h"

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

Compiled& Traces::find(TensorRefs inputs) { return *find_trace(inputs, place_of(inputs)).compiled; }

Traces::Trace& Traces::find_trace(TensorRefs inputs, Device device) {
  Trace* latest = latest_.load(std::memory_order_acquire);
  if (latest != nullptr && latest->fits(inputs, device)) return *latest;
  return find_or_trace(inputs, device);
}

Traces::Trace& Traces::find_or_trace(TensorRefs inputs, Device device) {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Trace>& trace : traces_)
    if (trace->fits(inputs, device)) {
      latest_.store(trace.get(), std::memory_order_release);
      return *trace;
    }
  auto trace = std::make_unique<Trace>();
  for (size_t i = 0; i < inputs.size(); ++i) trace->signature.push_back(inputs[i].spec());
  trace->device = device;
  warn_of_many(trace->signature);
  trace->compiled =
      std::make_unique<Compiled>(graph::trace(function_, trace->signature), options_, device);
  trace->is_settled = !device.is_cpu() || trace->trial.decided();
  traces_.push_back(std::move(trace));
  latest_.store(traces_.back().get(), std::memory_order_release);
  return *traces_.back();
}

Tensors Traces::run(TensorRefs inputs) {
  const Device device = place_of(inputs);
  Trace& trace = find_trace(inputs, device);
  if (trace.is_settled.load(std::memory_order_relaxed) ||
      (t_state.flags & ThreadState::kDeviceScope))
    return trace.compiled->run(inputs);
  return run_on_trial(trace, inputs);
}

/// Of a function that was traced for the CPU, as long as it is not known to stay there.
Tensors Traces::run_on_trial(Trace& trace, TensorRefs inputs) {
  const std::unique_lock lock(trial_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return trace.compiled->run(inputs);  // several threads: nothing is timed
  Trial& trial = trace.trial;
  const Device place = trial.place();
  if (place.is_cpu()) {
    const Trial::Clock::time_point start = Trial::Clock::now();
    Tensors results = trace.compiled->run(inputs);
    trial.took(Trial::Clock::now() - start);
    trace.is_settled = trial.decided();
    return results;
  }
  try {
    const DeviceScope scope(place);
    Trace& there = find_or_trace(inputs, place);
    latest_.store(&trace, std::memory_order_release);
    const Trial::Clock::time_point start = Trial::Clock::now();
    Tensors results = there.compiled->run(inputs);
    if (!trial.decided()) {
      backend_of(place).synchronize();
      trial.took(Trial::Clock::now() - start);
      trace.is_settled = trial.decided() && trial.place().is_cpu();
    }
    return results;
  } catch (const ResourceExhaustedError& error) {
    // Nobody has asked for that device, and nothing has been changed there.
    logging::info("{}: it stays on the CPU: {}", name_, error.what());
    latest_.store(&trace, std::memory_order_release);
    trial.stay_on_cpu();
    trace.is_settled = true;
    return trace.compiled->run(inputs);
  }
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
  if (!t_state.tracing()) return run(inputs);
  std::vector<Tensor> values;  // part of the function around it
  for (size_t i = 0; i < inputs.size(); ++i) values.push_back(inputs[i]);
  const std::vector<Tensor> results = function_(values);
  return {results.begin(), results.end()};
}

Traces& FunctionState::find(size_t inputs, Body body) {
  const std::lock_guard lock(mutex_);
  auto found = std::find_if(groups_.begin(), groups_.end(),
                            [&](const auto& group) { return group->inputs == inputs; });
  if (found == groups_.end()) {
    const auto call = [this, body](const std::vector<Tensor>& tensors) {
      return body(*this, tensors);
    };
    groups_.push_back(std::make_unique<Group>(inputs, call, options_));
    found = groups_.end() - 1;
  }
  latest_.store(found->get(), std::memory_order_release);
  return (*found)->traces;
}

size_t FunctionState::trace_count() {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& group : groups_) count += group->traces.count();
  return count;
}

}  // namespace alula::graph
