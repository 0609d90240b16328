#include "alula/graph/function.h"

#include "alula/core/log.h"

namespace alula::graph {

Compiled& Traces::find(const std::vector<Tensor>& inputs) {
  const auto fits = [&](const std::unique_ptr<Trace>& trace) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (trace->signature[i] != inputs[i].spec()) return false;
    return true;
  };
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Trace>& trace : traces_)
    if (fits(trace)) return *trace->compiled;
  auto trace = std::make_unique<Trace>();
  for (const Tensor& input : inputs) trace->signature.push_back(input.spec());
  warn_of_many(trace->signature);
  trace->compiled = std::make_unique<Compiled>(graph::trace(function_, trace->signature));
  traces_.push_back(std::move(trace));
  return *traces_.back()->compiled;
}

void Traces::warn_of_many(const std::vector<Spec>& signature) {
  constexpr size_t kMany = 5;
  if (warned_ || traces_.size() < kMany) return;
  warned_ = true;
  const std::vector<Spec>& before = traces_.back()->signature;
  for (size_t i = 0; i < signature.size(); ++i)
    if (signature[i] != before[i])
      logging::warn(
          "function: it has been traced {} times, and is traced again because input {} was {} and "
          "is "
          "{} now. Each trace takes time; call it with few different shapes. (This is said once.)",
          traces_.size(), i, before[i], signature[i]);
}

std::vector<Tensor> Traces::call(const std::vector<Tensor>& inputs) {
  for (const Tensor& input : inputs)
    require(input.defined(), "function: an input is not defined yet.");
  if (t_state.tracing()) return function_(inputs);  // part of the function around it
  return find(inputs).run(inputs);
}

}  // namespace alula::graph
