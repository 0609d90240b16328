#include "alula/graph/compat/gradients.h"

#include "alula/autograd/tape.h"
#include "alula/graph/compat/assignment.h"
#include "alula/graph/compat/walk.h"
#include "alula/ops/add.h"
#include "alula/ops/fill.h"

namespace alula::compat::v1 {
namespace internal {
namespace {

/// Whether a gradient flows from what a call makes to its inputs.
bool lets_through(const Call& call) {
  const auto* op = dynamic_cast<const OpCall*>(&call);
  if (op != nullptr) return op->op()->type().differentiable;
  return dynamic_cast<const Assignment*>(&call) == nullptr;
}

/// The ids of the tensors that depend on one of the xs in a differentiable way, themselves among
/// them.
std::unordered_set<uint64_t> dependent_on(const Tensor& x, const Walk& walk) {
  std::unordered_set<uint64_t> ids{x.id()};
  for (const auto& call : walk.calls) {
    if (!lets_through(*call)) continue;
    bool depends = false;
    for (const Tensor& input : call->inputs())
      depends =
          depends || (input.defined() && is_floating(input.dtype()) && ids.contains(input.id()));
    if (!depends) continue;
    for (const Tensor& output : walk.outputs.at(call.get()))
      if (output.defined() && is_floating(output.dtype())) ids.insert(output.id());
  }
  return ids;
}

/// All outputs of a call of an op: those that somebody reads, and stand-ins for the others.
std::vector<Tensor> outputs_of(const std::shared_ptr<const Call>& call, const Op& op,
                               std::vector<Tensor> met) {
  std::vector<const Spec*> specs;
  for (const Tensor& input : call->inputs()) specs.push_back(&input.spec());
  const Specs inferred = op.infer(SpecRefs(specs));
  met.resize(inferred.size());
  for (size_t i = 0; i < met.size(); ++i)
    if (!met[i].defined())
      met[i] = Tensor::symbolic(inferred[i], Ref<Note>(new Symbol(call, static_cast<int>(i))));
  return met;
}

/// Tells a tape of the calls that made these tensors, as if it had been there.
void tell_of(const std::vector<Tensor>& ys) {
  const Walk walk = walk_back(ys);
  for (const auto& call : walk.calls) {
    const auto* noted = dynamic_cast<const OpCall*>(call.get());
    if (noted == nullptr) continue;
    std::vector<const Tensor*> inputs;
    for (const Tensor& input : call->inputs()) inputs.push_back(&input);
    const std::vector<Tensor> outputs = outputs_of(call, *noted->op(), walk.outputs.at(call.get()));
    tell_listeners(*noted->op(), DeviceType::kSymbolic, TensorRefs(inputs), outputs);
  }
}

}  // namespace

std::vector<Tensor> gradients_now(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs,
                                  const std::vector<Tensor>& grad_ys) {
  GradientTape tape({.persistent = ys.size() > 1, .watch_accessed_variables = false});
  for (const Tensor& x : xs) tape.watch(x);
  tell_of(ys);
  std::vector<Tensor> sums(xs.size());
  for (size_t i = 0; i < ys.size(); ++i) {
    const Tensor start = grad_ys.empty() ? Tensor() : grad_ys[i];
    const std::vector<Tensor> parts = tape.gradient(ys[i], xs, {.output_gradients = start});
    for (size_t k = 0; k < xs.size(); ++k)
      if (parts[k].defined()) sums[k] = sums[k].defined() ? add(sums[k], parts[k]) : parts[k];
  }
  for (size_t k = 0; k < xs.size(); ++k)
    if (!sums[k].defined()) sums[k] = zeros_like(xs[k]);
  return sums;
}

Tensors GradientsCall::run(std::span<const Tensor> values) const {
  const auto part = [&](size_t from, size_t count) {
    return std::vector<Tensor>(values.begin() + static_cast<std::ptrdiff_t>(from),
                               values.begin() + static_cast<std::ptrdiff_t>(from + count));
  };
  const std::vector<Tensor> made =
      gradients_now(part(0, ys_), part(ys_, xs_), part(ys_ + xs_, values.size() - ys_ - xs_));
  return {made.begin(), made.end()};
}

}  // namespace internal

std::vector<Tensor> gradients(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs,
                              const GradientsOptions& options) {
  require(!ys.empty(), "gradients: there are no ys.");
  const std::vector<Tensor>& starts = options.grad_ys;
  require(starts.empty() || starts.size() == ys.size(),
          "gradients: grad_ys must have one tensor a y. Got {} for {}.", starts.size(), ys.size());
  for (const Tensor& y : ys) {
    require(y.defined(), "gradients: a y is not defined yet.");
    require(is_floating(y.dtype()), "gradients: a y must be of a floating type. Got {}.", y.spec());
  }
  for (size_t i = 0; i < starts.size(); ++i)
    require(starts[i].defined() && starts[i].dtype() == ys[i].dtype() &&
                compatible(starts[i].shape(), ys[i].shape()),
            "gradients: grad_ys[{}] must be like its y, {}.", i, ys[i].spec());

  const internal::Walk walk = internal::walk_back(ys);
  std::vector<Tensor> reached;
  std::vector<size_t> places;
  for (size_t i = 0; i < xs.size(); ++i) {
    require(xs[i].defined(), "gradients: x {} is not defined yet.", i);
    if (!is_floating(xs[i].dtype())) continue;
    const std::unordered_set<uint64_t> dependent = internal::dependent_on(xs[i], walk);
    for (const Tensor& y : ys) {
      if (!dependent.contains(y.id())) continue;
      reached.push_back(xs[i]);
      places.push_back(i);
      break;
    }
  }
  std::vector<Tensor> results(xs.size());
  if (reached.empty()) return results;

  std::vector<Tensor> inputs = ys;
  inputs.insert(inputs.end(), reached.begin(), reached.end());
  inputs.insert(inputs.end(), starts.begin(), starts.end());
  std::vector<Spec> specs;
  for (const Tensor& x : reached) specs.push_back(x.spec());
  const Tensors made = symbolic_outputs(
      std::make_shared<internal::GradientsCall>(ys.size(), reached.size(), inputs), specs);
  for (size_t i = 0; i < made.size(); ++i) results[places[i]] = made[i];
  return results;
}

std::vector<Tensor> gradients(const std::vector<Tensor>& ys, const std::vector<Variable>& xs,
                              const GradientsOptions& options) {
  return gradients(ys, std::vector<Tensor>(xs.begin(), xs.end()), options);
}

}  // namespace alula::compat::v1
