#include "alula/autograd/tape.h"

#include "alula/core/log.h"
#include "alula/ops/add.h"
#include "alula/ops/fill.h"
#include "alula/runtime/autocast.h"

namespace alula {

void GradientTape::watch(const Tensor& tensor) {
  if (!is_floating(tensor.dtype())) {
    logging::warn("GradientTape: only floating types can be differentiated. Got {} to watch.",
                  tensor.spec());
    return;
  }
  tracked_.insert(tensor.id());
}

void GradientTape::watch(const Variable& variable) {
  if (!variable_index_.contains(variable.key())) {
    variable_index_.emplace(variable.key(), variables_.size());
    variables_.push_back({variable, {}});
  }
  read(variable, stored_value(variable));
}

void GradientTape::read(const Variable& variable, const Tensor& value) {
  if (paused_ > 0 || !is_floating(value.dtype())) return;
  auto found = variable_index_.find(variable.key());
  if (found == variable_index_.end()) {
    if (!options_.watch_accessed_variables || !variable.trainable()) return;
    found = variable_index_.emplace(variable.key(), variables_.size()).first;
    variables_.push_back({variable, {}});
  }
  if (tracked_.insert(value.id()).second) variables_[found->second].reads.push_back(value.id());
}

bool GradientTape::is_tracked(const Tensor& tensor) const {
  return is_floating(tensor.dtype()) && tracked_.contains(tensor.id());
}

void GradientTape::stop() {
  if (ear_ == nullptr) return;
  ear_->tape = nullptr;
  // Only its own thread can take it from the list of those who listen there. In another one, as
  // when a language's garbage is collected, it stays there for good and hears nothing.
  if (ear_->thread != std::this_thread::get_id()) static_cast<void>(ear_.release());
  ear_.reset();
}

void GradientTape::resume() {
  if (ear_ == nullptr) ear_ = std::make_unique<Ear>(this);
}

void GradientTape::ran(const Op& op, TensorRefs inputs, std::span<const Tensor> outputs) {
  if (paused_ > 0 || !op.type().differentiable) return;
  IndexSet wanted;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (is_tracked(inputs[i])) wanted.add(i);
  if (wanted.empty()) return;
  bool any_floating = false;
  for (const Tensor& output : outputs) any_floating = any_floating || is_floating(output.dtype());
  if (!any_floating) return;

  const Needs needs = op.needs(wanted);
  Node& node = nodes_.emplace_back();
  node.op = op.clone();
  node.tracked = wanted;
  for (size_t i = 0; i < inputs.size(); ++i)
    node.inputs.push_back({.id = inputs[i].id(),
                           .spec = inputs[i].spec(),
                           .value = needs.inputs.contains(i) ? inputs[i] : Tensor()});
  for (size_t i = 0; i < outputs.size(); ++i) {
    node.outputs.push_back({.id = outputs[i].id(),
                            .spec = outputs[i].spec(),
                            .value = needs.outputs.contains(i) ? outputs[i] : Tensor()});
    if (is_floating(outputs[i].dtype())) tracked_.insert(outputs[i].id());
  }
}

std::vector<Variable> GradientTape::watched_variables() const {
  std::vector<Variable> variables;
  for (const Watched& watched : variables_) variables.push_back(watched.variable);
  return variables;
}

void GradientTape::reset() {
  nodes_.clear();
  tracked_.clear();
  variables_.clear();
  variable_index_.clear();
}

std::vector<uint64_t> GradientTape::ids_of(const GradientSource& source) const {
  if (source.tensor_.defined()) {
    if (!tracked_.contains(source.tensor_.id())) return {};
    return {source.tensor_.id()};
  }
  const auto found = variable_index_.find(source.variable_.key());
  return found == variable_index_.end() ? std::vector<uint64_t>() : variables_[found->second].reads;
}

namespace {

/// The gradients known so far, by the tensor that they belong to.
class Sums {
 public:
  void add_to(uint64_t id, const Tensor& gradient) {
    Tensor& sum = sums_[id];
    sum = sum.defined() ? add(sum, gradient) : gradient;
  }
  /// Undefined if there is none.
  Tensor of(uint64_t id) const {
    const auto found = sums_.find(id);
    return found == sums_.end() ? Tensor() : found->second;
  }
  void forget(uint64_t id) { sums_.erase(id); }

 private:
  std::unordered_map<uint64_t, Tensor> sums_;
};

void check_gradients(const Op& op, std::span<const Kept> inputs, const Gradients& gradients) {
  require<InternalError>(gradients.size() == inputs.size(),
                         "{}: its gradient has {} parts, for {} inputs.", op.name(),
                         gradients.size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    require<InternalError>(!gradients[i].defined() || gradients[i].spec() == inputs[i].spec,
                           "{}: the gradient with respect to input {} must be {}. Got {}.",
                           op.name(), i, inputs[i].spec, gradients[i]);
}

/// The gradients with respect to a call's outputs, or nothing if it has none.
Tensors gradients_of(std::span<const Kept> outputs, const Sums& sums) {
  Tensors dy;
  bool any = false;
  for (const Kept& output : outputs) {
    dy.push_back(sums.of(output.id));
    any = any || dy.back().defined();
  }
  if (!any) return {};
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!dy[i].defined() && is_floating(outputs[i].spec.dtype))
      dy[i] = zeros(outputs[i].spec.shape, outputs[i].spec.dtype);
  return dy;
}

}  // namespace

void GradientTape::check(std::span<const Tensor> targets, std::span<const GradientSource> sources,
                         std::span<const Tensor> seeds) const {
  require(seeds.empty() || seeds.size() == targets.size(),
          "gradient: there are {} output_gradients for {} targets.", seeds.size(), targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor& target = targets[i];
    require(target.defined(), "gradient: the target is not defined yet.");
    require(is_floating(target.dtype()), "gradient: the target must be of a floating type. Got {}.",
            target.spec());
    require(seeds.empty() || !seeds[i].defined() || seeds[i].spec() == target.spec(),
            "gradient: output_gradients must be like the target, {}. Got {}.", target.spec(),
            seeds.empty() ? target : seeds[i]);
  }
  for (const GradientSource& source : sources)
    require(source.tensor_.defined() || source.variable_.defined(),
            "gradient: a source is not defined yet.");
  require<FailedPreconditionError>(!used_,
                                   "gradient: a tape gives gradients once. Make it persistent: "
                                   "GradientTape tape({{.persistent = true}}).");
}

std::vector<Tensor> GradientTape::gradient(std::span<const Tensor> targets,
                                           std::span<const GradientSource> sources,
                                           std::span<const Tensor> output_gradients,
                                           UnconnectedGradients unconnected_gradients) {
  check(targets, sources, output_gradients);
  if (!options_.persistent) {
    used_ = true;
    stop();
  }

  std::vector<std::vector<uint64_t>> source_ids;
  std::unordered_set<uint64_t> dependent;  // tensors that depend on a source
  for (const GradientSource& source : sources) {
    source_ids.push_back(ids_of(source));
    dependent.insert(source_ids.back().begin(), source_ids.back().end());
  }
  const std::unordered_set<uint64_t> asked = dependent;
  const size_t count = nodes_.size();
  std::vector<bool> on_path(count, false);
  for (size_t i = 0; i < count; ++i) {
    Node& node = nodes_[i];
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      Kept& input = node.inputs[k];
      input.wanted =
          node.tracked.contains(k) && dependent.contains(input.id) && is_floating(input.spec.dtype);
      on_path[i] = on_path[i] || input.wanted;
    }
    if (!on_path[i]) continue;
    for (const Kept& output : node.outputs) dependent.insert(output.id);
  }

  Sums sums;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!dependent.contains(targets[i].id())) continue;
    const Tensor seed = output_gradients.empty() ? Tensor() : output_gradients[i];
    sums.add_to(targets[i].id(), seed.defined() ? seed : ones_like(targets[i]));
  }
  for (size_t i = count; i-- > 0;) {
    Node& node = nodes_[i];
    if (on_path[i]) {
      const Tensors dy = gradients_of(node.outputs, sums);
      for (const Kept& output : node.outputs)
        if (!asked.contains(output.id)) sums.forget(output.id);
      if (!dy.empty()) {
        const Gradients gradients = node.op->gradient(Recorded(node.inputs, node.outputs, dy));
        check_gradients(*node.op, node.inputs, gradients);
        for (size_t k = 0; k < gradients.size(); ++k)
          if (node.inputs[k].wanted && gradients[k].defined())
            sums.add_to(node.inputs[k].id, gradients[k]);
      }
    }
    if (!options_.persistent) nodes_.pop_back();
  }

  std::vector<Tensor> results;
  for (size_t i = 0; i < sources.size(); ++i) {
    Tensor sum;
    for (uint64_t id : source_ids[i]) {
      const Tensor part = sums.of(id);
      if (part.defined()) sum = sum.defined() ? add(sum, part) : part;
    }
    if (!sum.defined() && unconnected_gradients == UnconnectedGradients::kZero) {
      const GradientSource& source = sources[i];
      const Spec& spec = source.tensor_.defined() ? source.tensor_.spec() : source.variable_.spec();
      sum = zeros(spec.shape, spec.dtype);
    }
    results.push_back(std::move(sum));
  }
  return results;
}

std::vector<Tensor> GradientTape::run(const Tensor& target, std::span<const GradientSource> sources,
                                      const GradientOptions& options) {
  return gradient({&target, 1}, sources, {&options.output_gradients, 1},
                  options.unconnected_gradients);
}

Tensor GradientTape::gradient(const Tensor& target, const GradientSource& source,
                              const GradientOptions& options) {
  return run(target, {&source, 1}, options)[0];
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           const std::vector<Variable>& sources,
                                           const GradientOptions& options) {
  return run(target, std::vector<GradientSource>(sources.begin(), sources.end()), options);
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target, const std::vector<Tensor>& sources,
                                           const GradientOptions& options) {
  return run(target, std::vector<GradientSource>(sources.begin(), sources.end()), options);
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           std::initializer_list<GradientSource> sources,
                                           const GradientOptions& options) {
  return run(target, {sources.begin(), sources.size()}, options);
}

}  // namespace alula
