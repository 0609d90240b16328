// One step of an optimizer: from gradients to changed variables.
#include <algorithm>

#include "alula/core/log.h"
#include "alula/keras/optimizers/optimizer.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/maximum.h"
#include "alula/ops/minimum.h"
#include "alula/ops/multi_elementwise.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/square.h"

namespace alula::keras {
namespace {

Tensor squares_of(const Tensor& gradient) {
  const Tensor squares = square(gradient);
  return squares.rank() == 0 ? squares : reduce_sum(squares);
}

/// What numbers of a step are computed in.
DType computed_in(DType dtype) { return is_half(dtype) ? float32 : dtype; }

}  // namespace

void OptimizerImpl::apply(const std::vector<Tensor>& gradients,
                          const std::vector<Variable>& variables) {
  require(gradients.size() == variables.size(),
          "{}: there must be as many gradients as variables. Got {} and {}.", name_,
          gradients.size(), variables.size());
  build(variables);
  std::vector<Item> items = collect(gradients, variables);
  if (prepare(items)) update(items);
  iterations_.assign_add(Tensor(int64_t{1}));
}

/// The steps that have been made: with accumulation, there are fewer of them than calls.
int64_t OptimizerImpl::steps_done() const {
  return iterations_.value().item<int64_t>() / options_.gradient_accumulation_steps.value_or(1);
}

OptimizerImpl::Tracked& OptimizerImpl::find(const Variable& variable, size_t position) {
  if (position < tracked_.size() && tracked_[position].variable.same_as(variable))
    return tracked_[position];
  const auto found = positions_.find(variable.key());
  require(
      found != positions_.end(),
      "{}: the variable '{}' is not one of the {} that the optimizer was built with. Make a new "
      "optimizer for other variables.",
      name_, variable.name(), tracked_.size());
  return tracked_[found->second];
}

void OptimizerImpl::warn_missing(const Variable& variable) {
  if (!warned_.insert(variable.key()).second) return;
  logging::warn(
      "{}: there is no gradient for the variable '{}'; it stays as it is. Does the loss depend on "
      "it? (This is said once.)",
      name_, variable.name());
}

std::vector<OptimizerImpl::Item> OptimizerImpl::collect(const std::vector<Tensor>& gradients,
                                                        const std::vector<Variable>& variables) {
  std::vector<Item> items;
  items.reserve(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    Tracked& tracked = find(variables[i], i);
    const Tensor& gradient = gradients[i];
    if (!gradient.defined()) continue;
    require(gradient.shape() == variables[i].shape() && is_floating(gradient.dtype()),
            "{}: the gradient of the variable '{}' must be {}. Got {}.", name_, variables[i].name(),
            variables[i].spec(), gradient.spec());
    items.push_back({&tracked, gradient.dtype() == variables[i].dtype()
                                   ? gradient
                                   : cast(gradient, variables[i].dtype())});
  }
  std::string names;
  for (size_t i = 0; i < variables.size() && items.empty(); ++i)
    names += (i > 0 ? ", " : "") + ("'" + variables[i].name() + "'");
  require(!items.empty(),
          "{}: there is no gradient for any variable. Got undefined ones for {}. Was the loss "
          "computed while the tape was recording?",
          name_, names);
  if (items.size() < gradients.size())
    for (size_t i = 0; i < gradients.size(); ++i)
      if (!gradients[i].defined()) warn_missing(variables[i]);
  return items;
}

/// Does to gradients what must be done before the rule sees them. Whether this call is a step.
bool OptimizerImpl::prepare(std::vector<Item>& items) {
  if (options_.loss_scale_factor.given())
    for (Item& item : items) item.gradient = item.gradient / options_.loss_scale_factor.value();
  if (options_.gradient_accumulation_steps.given()) {
    const int64_t every = options_.gradient_accumulation_steps.value();
    const bool steps = (iterations_.value().item<int64_t>() + 1) % every == 0;
    for (Item& item : items) {
      Variable& sum = item.tracked->accumulator;
      if (steps) {
        item.gradient = (item.gradient + sum.value()) / every;
        sum.assign(zeros_like(item.gradient));
      } else {
        sum.assign_add(item.gradient);
      }
    }
    if (!steps) return false;
  }
  if (clips_norms()) clip_norms(items);
  return true;
}

void OptimizerImpl::clip_norms(std::vector<Item>& items) const {
  if (options_.clipnorm.given()) {
    const double most = options_.clipnorm.value();
    for (Item& item : items) {
      const Tensor norm = sqrt(squares_of(item.gradient));
      item.clip = cast(most / maximum(norm, most), computed_in(item.gradient.dtype()));
    }
    return;
  }
  const double most = options_.global_clipnorm.value();
  Tensor sum;
  for (const Item& item : items) {
    const Tensor squares = cast(squares_of(item.gradient), float32);
    sum = sum.defined() ? sum + squares : squares;
  }
  const Tensor norm = sqrt(sum);
  // An infinite norm makes all gradients NaN, not 0.
  const Tensor factor = most * minimum(1 / norm, 1 / most) + (norm - norm);
  for (Item& item : items) item.clip = cast(factor, computed_in(item.gradient.dtype()));
}

/// Records the rule, with what surrounds it.
const OptimizerImpl::Update& OptimizerImpl::update_for(DType dtype, bool decays) {
  for (const auto& update : updates_)
    if (update->dtype == dtype && update->decays == decays) return *update;
  const auto numbers = static_cast<int>(scalars({}).size());
  const auto slots = static_cast<int>(slot_kinds_.size());
  ElementUpdate u({.dtype = dtype,
                   .scalars = numbers + (options_.use_ema ? 1 : 0) + (decays ? 1 : 0),
                   .slots = slots + (options_.use_ema ? 1 : 0),
                   .own_scalars = clips_norms() ? 1 : 0});
  if (clips_norms()) u.set_gradient(u.gradient() * u.own_scalar(0));
  if (options_.clipvalue.given()) {
    const double most = options_.clipvalue.value();
    u.set_gradient(max(min(u.gradient(), u.constant(most)), u.constant(-most)));
  }
  if (decays) u.set_value(u.value() - u.value() * u.scalar(numbers));
  rule(u);
  if (options_.use_ema) {
    const Scalar keep = u.scalar(numbers + (decays ? 1 : 0));
    u.set_slot(slots, keep * u.slot(slots) + (1 - keep) * u.value());
  }
  updates_.push_back(std::make_unique<Update>(dtype, decays, u.finish(class_name_.c_str())));
  return *updates_.back();
}

void OptimizerImpl::update(std::vector<Item>& items) {
  check_traceable();
  // Usually all variables are of one kind: one call for all of them.
  for (std::span<Item> left = items; !left.empty();) {
    const DType dtype = left[0].tracked->variable.dtype();
    const bool decays = left[0].tracked->decays;
    const auto end = std::stable_partition(left.begin(), left.end(), [&](const Item& item) {
      return item.tracked->variable.dtype() == dtype && item.tracked->decays == decays;
    });
    const auto count = static_cast<size_t>(end - left.begin());
    update_some(left.first(count), update_for(dtype, decays), count == left.size());
    left = left.subspan(count);
  }
  if (!t_state.tracing()) overwrite_by_averages();
}

/// What a step does on the host is done before each run of a function that was traced; it must not
/// decide what is computed.
void OptimizerImpl::check_traceable() {
  if (!t_state.tracing()) return;
  require<UnimplementedError>(
      !options_.gradient_accumulation_steps.given() && !options_.ema_overwrite_frequency.given(),
      "{}: gradient_accumulation_steps and ema_overwrite_frequency work in eager steps only. Call "
      "it outside of function(), or compile with run_eagerly.",
      name_);
  require<UnimplementedError>(traced_in_ != t_state.tracer,
                              "{}: a function can only contain one step of an optimizer.", name_);
  traced_in_ = t_state.tracer;
}

/// The numbers of the next step that all variables share. `last`: nobody asks for more of them.
std::vector<Tensor> OptimizerImpl::shared_numbers(const Update& update, bool last) {
  const DType computed = computed_in(update.dtype);
  const StepNumbers step{
      .step = steps_done() + 1, .rate = learning_rate(), .single = computed == float32};
  StepScalars numbers = scalars(step);
  if (update.decays) numbers.push_back(options_.weight_decay.value() * step.rate);
  if (options_.use_ema)
    numbers.push_back(iterations_.value().item<int64_t>() == 0 ? 0 : options_.ema_momentum);
  if (last) stepped({.step = step.step, .rate = step.rate});
  std::vector<Tensor> shared;
  for (double number : numbers) shared.emplace_back(Number(number), computed);
  return shared;
}

void OptimizerImpl::update_some(std::span<Item> items, const Update& update, bool last) {
  std::vector<Tensor> shared;
  if (t_state.tracing()) {
    const size_t count = scalars({}).size() + (update.decays ? 1 : 0) + (options_.use_ema ? 1 : 0);
    const std::vector<Spec> specs(count, {computed_in(update.dtype), {}});
    shared = host_tensors(specs, [self = shared_from_this(), &update, last] {
      return self->shared_numbers(update, last);
    });
  } else {
    shared = shared_numbers(update, last);
  }

  InlineVector<TensorOrVariable, 64> inputs(shared.begin(), shared.end());
  std::vector<Variable> targets;
  for (const Item& item : items) {
    inputs.push_back(item.tracked->variable);
    targets.push_back(item.tracked->variable);
    inputs.push_back(item.gradient);
    for (const Variable& slot : item.tracked->slots) {
      inputs.push_back(slot);
      targets.push_back(slot);
    }
    if (item.clip.defined()) inputs.push_back(item.clip);
  }
  MultiElementwise op(*update.recorded.program);
  op.shared = static_cast<int>(shared.size());
  op.scalars = clips_norms() ? 1 : 0;
  for (double parameter : update.recorded.parameters) op.parameters.push_back(parameter);
  update_variables(op, inputs, targets);
}

void OptimizerImpl::overwrite_by_averages() {
  if (!options_.use_ema || !options_.ema_overwrite_frequency.given()) return;
  const int64_t calls = iterations_.value().item<int64_t>() + 1;
  if (calls % options_.ema_overwrite_frequency.value() != 0) return;
  for (Tracked& item : tracked_) item.variable.assign(item.slots.back().value());
}

}  // namespace alula::keras
