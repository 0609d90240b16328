#include "alula/keras/optimizers/loss_scale_optimizer.h"

#include "alula/ops/cast.h"
#include "alula/ops/equal.h"
#include "alula/ops/isfinite.h"
#include "alula/ops/logical_and.h"
#include "alula/ops/logical_not.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/where.h"

namespace alula::keras::optimizers {
namespace {

constexpr const char* kName = "LossScaleOptimizer";

Tensor all_finite(const std::vector<Tensor>& gradients) {
  Tensor all;
  for (const Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    const Tensor each = isfinite(gradient);
    const Tensor finite = each.rank() == 0 ? each : reduce_all(each);
    all = all.defined() ? logical_and(all, finite) : finite;
  }
  return all.defined() ? all : Tensor(true);
}

}  // namespace

LossScaleOptimizerImpl::LossScaleOptimizerImpl(const Options& options)
    : OptimizerImpl(kName, {.learning_rate = 0.0, .name = options.name}),
      options(options),
      scale_(Tensor(static_cast<float>(options.initial_scale)),
             {.trainable = false, .name = "dynamic_scale"}),
      counter_(Tensor(int64_t{0}), {.trainable = false, .name = "step_counter"}) {
  require(options.inner_optimizer.defined(),
          "{}: the optimizer inside is missing. Write {{.inner_optimizer = \"adam\"}}.", kName);
  require(&inner().core() == &inner(), "{}: the optimizer inside scales the loss already.", kName);
  require(options.initial_scale > 0, "{}: initial_scale must be greater than 0. Got {}.", kName,
          options.initial_scale);
  require(options.dynamic_growth_steps >= 1, "{}: dynamic_growth_steps must be at least 1. Got {}.",
          kName, options.dynamic_growth_steps);
  inner().ignore_loss_scale_factor();  // or it would be done twice
}

void LossScaleOptimizerImpl::build(const std::vector<Variable>& variables) {
  inner().build(variables);
  set_built();
}

void LossScaleOptimizerImpl::apply(const std::vector<Tensor>& gradients,
                                   const std::vector<Variable>& variables) {
  build(variables);
  const Tensor finite = all_finite(gradients), scale = scale_.value();
  std::vector<Tensor> unscaled;
  for (const Tensor& gradient : gradients)
    unscaled.push_back(gradient.defined() ? gradient / cast(scale, gradient.dtype()) : gradient);
  inner().apply_if(finite, unscaled, variables);
  adjust(finite);
}

/// What comes of a step for the scale.
void LossScaleOptimizerImpl::adjust(const Tensor& finite) {
  const Tensor scale = scale_.value(), counter = counter_.value();
  const Tensor grows = equal(counter, options.dynamic_growth_steps - 1);
  scale_.assign(scale * where(finite, where(grows, Tensor(2.f), Tensor(1.f)), Tensor(0.5f)));
  const Tensor none(int64_t{0});
  counter_.assign(where(logical_and(finite, logical_not(grows)), counter + 1, none));
}

Tensor LossScaleOptimizerImpl::scale_loss(const Tensor& loss) const {
  if (is_half(loss.dtype())) return cast(loss, float32) * scale_;
  return loss * cast(scale_, loss.dtype());
}

void LossScaleOptimizerImpl::exclude_from_weight_decay(const ExcludeOptions& options) {
  inner().exclude_from_weight_decay(options);
}

void LossScaleOptimizerImpl::finalize_variable_values(const std::vector<Variable>& variables) {
  inner().finalize_variable_values(variables);
}

double LossScaleOptimizerImpl::learning_rate() const { return inner().learning_rate(); }
void LossScaleOptimizerImpl::set_learning_rate(double rate) { inner().set_learning_rate(rate); }
Variable LossScaleOptimizerImpl::iterations() const { return inner().iterations(); }

std::vector<Variable> LossScaleOptimizerImpl::variables() const {
  std::vector<Variable> all = OptimizerImpl::variables();
  all.push_back(counter_);
  all.push_back(scale_);
  for (const Variable& variable : inner().variables()) all.push_back(variable);
  return all;
}

}  // namespace alula::keras::optimizers
