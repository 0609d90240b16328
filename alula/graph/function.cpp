#include "alula/graph/function.h"

#include <algorithm>

#include "alula/core/log.h"

namespace alula::graph {

bool Traces::Trace::fits(TensorRefs inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (signature[i] != inputs[i].spec()) return false;
  return true;
}

Traces::Trace& Traces::find_trace(TensorRefs inputs) {
  Trace* latest = latest_.load(std::memory_order_acquire);
  return latest != nullptr && latest->fits(inputs) ? *latest : find_or_trace(inputs);
}

Traces::Trace& Traces::find_or_trace(TensorRefs inputs) {
  const std::lock_guard lock(mutex_);
  auto found = std::find_if(traces_.begin(), traces_.end(),
                            [&](const auto& trace) { return trace->fits(inputs); });
  if (found == traces_.end()) {
    std::vector<Spec> signature;
    for (size_t i = 0; i < inputs.size(); ++i) signature.push_back(inputs[i].spec());
    warn_of_many(signature);
    traces_.push_back(std::make_unique<Trace>(*this, std::move(signature)));
    found = traces_.end() - 1;
  }
  latest_.store(found->get(), std::memory_order_release);
  return **found;
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
