// One step of an optimizer: from gradients to changed variables.
#include <algorithm>

#include "alula/core/log.h"
#include "alula/graph/control/inside.h"
#include "alula/keras/optimizers/optimizer.h"
#include "alula/ops/cast.h"
#include "alula/ops/equal.h"
#include "alula/ops/fill.h"
#include "alula/ops/floordiv.h"
#include "alula/ops/host_function.h"
#include "alula/ops/maximum.h"
#include "alula/ops/minimum.h"
#include "alula/ops/mod.h"
#include "alula/ops/multi_elementwise.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/square.h"
#include "alula/ops/where.h"

namespace alula::keras {
namespace {

Tensor squares_of(const Tensor& gradient) {
  const Tensor squares = square(gradient);
  return squares.rank() == 0 ? squares : reduce_sum(squares);
}

/// What numbers of a step are computed in.
DType computed_in(DType dtype) { return is_half(dtype) ? float32 : dtype; }

/// Whether it may be how an optimizer counts its calls; a node of control flow is not.
bool may_count(const Call& call) {
  const auto* op = dynamic_cast<const OpCall*>(&call);
  return op == nullptr || dynamic_cast<const ElementwiseOp*>(op->op().get()) != nullptr;
}

/// How many calls of the optimizer a run has made before one is known only then.
constexpr int64_t kUnknownAhead = -1;

/// Numbers of a step in a function that is being traced: asked for before each run or, where only
/// the run knows which step it is, of the value that `iterations` has then.
std::vector<Tensor> ask_host(std::span<const Spec> specs, int64_t ahead, const Variable& iterations,
                             std::function<std::vector<Tensor>(int64_t ahead)> numbers) {
  if (ahead != kUnknownAhead)
    return host_tensors(specs, [ahead, numbers = std::move(numbers)] { return numbers(ahead); });
  const auto of_iterations = [iterations,
                              numbers = std::move(numbers)](const std::vector<Tensor>& in) {
    return numbers(in[0].item<int64_t>() - iterations.value().item<int64_t>());
  };
  return host_function(of_iterations, {iterations.value()}, {specs.begin(), specs.end()});
}

/// Sets the condition of a call while it lasts.
class WithCondition {
 public:
  WithCondition(Tensor& place, const Tensor& condition) : place_(place) { place_ = condition; }
  ~WithCondition() { place_ = {}; }
  WithCondition(const WithCondition&) = delete;
  WithCondition& operator=(const WithCondition&) = delete;

 private:
  Tensor& place_;
};

}  // namespace

void OptimizerImpl::apply(const std::vector<Tensor>& gradients,
                          const std::vector<Variable>& variables) {
  require(gradients.size() == variables.size(),
          "{}: there must be as many gradients as variables. Got {} and {}.", name_,
          gradients.size(), variables.size());
  build(variables);
  const int64_t ahead = calls_ahead();
  std::vector<Item> items = collect(gradients, variables);
  if (prepare(items, ahead)) {
    update(items, ahead);
    update_own(ahead);
  }
  iterations_.assign_add(condition_.defined() ? cast(condition_, int64) : Tensor(int64_t{1}));
}

void OptimizerImpl::apply_if(const Tensor& condition, const std::vector<Tensor>& gradients,
                             const std::vector<Variable>& variables) {
  require(condition.defined() && condition.spec() == Spec{boolean, {}},
          "{}: the condition of a step must be a boolean scalar.", name_);
  const WithCondition under_way(condition_, condition);
  may_skip_ = true;
  OptimizerImpl::apply(gradients, variables);
}

Tensor OptimizerImpl::scale_loss(const Tensor& loss) const {
  if (!options_.loss_scale_factor.given()) return loss;
  return loss * options_.loss_scale_factor.value();
}

/// What becomes of something by a call that may be skipped.
Tensor OptimizerImpl::unless_skipped(const Tensor& after, const Tensor& before) const {
  return condition_.defined() ? where(condition_, after, before) : after;
}

/// The calls that the function being traced has made before this one: what is asked of the host
/// before a run must count them, too. Each has added 1 to `iterations_`.
int64_t OptimizerImpl::calls_ahead() const {
  if (!t_state.tracing()) return 0;
  if (may_skip_) {
    require<UnimplementedError>(own_.empty(),
                                "{}: a step of this optimizer that may be skipped cannot be part "
                                "of a function.",
                                name_);
    return kUnknownAhead;
  }
  Tensor calls = iterations_.value();
  for (int64_t ahead = 0;; ++ahead) {
    const Symbol* symbol = calls.is_symbolic() ? calls.note<Symbol>() : nullptr;
    const bool counted = symbol == nullptr || symbol->call == nullptr || may_count(*symbol->call);
    if (graph::is_inside_control_flow() || !counted) {
      require<UnimplementedError>(own_.empty(),
                                  "{}: a function can only contain one step of this optimizer, and "
                                  "none in cond, while_loop, map_fn or scan.",
                                  name_);
      return kUnknownAhead;
    }
    require<UnimplementedError>(symbol != nullptr,
                                "{}: `iterations` cannot be set inside of function().", name_);
    if (symbol->call == nullptr) {
      require<UnimplementedError>(ahead == 0 || own_.empty(),
                                  "{}: a function can only contain one step of this optimizer.",
                                  name_);
      return ahead;
    }
    require<UnimplementedError>(!symbol->call->inputs().empty(),
                                "{}: `iterations` cannot be set inside of function().", name_);
    calls = Tensor(symbol->call->inputs()[0]);
  }
}

int64_t OptimizerImpl::calls_before(int64_t ahead) const {
  return iterations_.value().item<int64_t>() + ahead;
}

/// Whether the call is a step: with accumulation, most are not.
bool OptimizerImpl::is_step(int64_t ahead) const {
  return (calls_before(ahead) + 1) % options_.gradient_accumulation_steps.value_or(1) == 0;
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

/// Does to gradients what must be done before the rule sees them. Whether the rule is to see them.
bool OptimizerImpl::prepare(std::vector<Item>& items, int64_t ahead) {
  if (options_.loss_scale_factor.given())
    for (Item& item : items) item.gradient = item.gradient / options_.loss_scale_factor.value();
  if (options_.gradient_accumulation_steps.given() && !accumulate(items, ahead)) return false;
  if (clips_norms()) clip_norms(items);
  return true;
}

/// In a function that is traced, each call takes the mean; whether it is used is known at a run.
bool OptimizerImpl::accumulate(std::vector<Item>& items, int64_t ahead) {
  const int64_t every = options_.gradient_accumulation_steps.value();
  if (t_state.tracing()) {
    const Spec flag{boolean, {}};
    const Tensor steps =
        ahead == kUnknownAhead
            ? is_step_later()
            : ask_host({&flag, 1}, ahead, iterations_,
                       [self = shared_from_this()](int64_t ahead) -> std::vector<Tensor> {
                         return {Tensor(self->is_step(ahead))};
                       })[0];
    for (Item& item : items) {
      Variable& sum = item.tracked->accumulator;
      const Tensor total = item.gradient + sum.value();
      item.gradient = total / every;
      sum.assign(unless_skipped(where(steps, zeros_like(total), total), sum.value()));
    }
    return true;
  }
  const bool steps = is_step(ahead);
  for (Item& item : items) {
    Variable& sum = item.tracked->accumulator;
    if (steps) {
      item.gradient = (item.gradient + sum.value()) / every;
      sum.assign(unless_skipped(zeros_like(item.gradient), sum.value()));
    } else {
      sum.assign_add(unless_skipped(item.gradient, zeros_like(item.gradient)));
    }
  }
  return steps;
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

/// After the rule's own numbers come those of what surrounds it.
OptimizerImpl::ScalarPlaces OptimizerImpl::scalar_places(bool decays, bool waits) const {
  ScalarPlaces places{.count = rule_scalars_};
  if (decays) places.decay = places.count++;
  if (options_.use_ema) places.keep = places.count++;
  if (overwrites()) places.overwrite = places.count++;
  if (waits) places.step = places.count++;
  places.condition = places.count;
  return places;
}

/// Records the rule, with what surrounds it.
const OptimizerImpl::Update& OptimizerImpl::update_for(DType dtype, bool decays) {
  const bool waits = t_state.tracing() && options_.gradient_accumulation_steps.given();
  const bool asks = condition_.defined();
  for (const auto& update : updates_)
    if (update->dtype == dtype && update->decays == decays && update->waits == waits &&
        update->asks == asks)
      return *update;
  const ScalarPlaces places = scalar_places(decays, waits);
  const int average = static_cast<int>(slot_kinds_.size());  // its slot, if there is one
  const int slots = average + (options_.use_ema ? 1 : 0);
  ElementUpdate u({.dtype = dtype,
                   .scalars = places.count + (asks ? 1 : 0),
                   .slots = slots,
                   .own_scalars = clips_norms() ? 1 : 0});
  std::vector<Scalar> before = {u.value()};
  for (int i = 0; i < slots; ++i) before.push_back(u.slot(i));
  if (clips_norms()) u.set_gradient(u.gradient() * u.own_scalar(0));
  if (options_.clipvalue.given()) {
    const double most = options_.clipvalue.value();
    u.set_gradient(max(min(u.gradient(), u.constant(most)), u.constant(-most)));
  }
  if (decays) u.set_value(u.value() - u.value() * u.scalar(places.decay));
  rule(u);
  if (options_.use_ema) {
    const Scalar keep = u.scalar(places.keep);
    u.set_slot(average, keep * u.slot(average) + (1 - keep) * u.value());
  }
  if (overwrites()) u.set_value(select(u.scalar(places.overwrite) > 0, u.slot(average), u.value()));
  const auto only_if = [&](const Scalar& steps) {
    u.set_value(select(steps, u.value(), before[0]));
    for (int i = 0; i < slots; ++i)
      u.set_slot(i, select(steps, u.slot(i), before[static_cast<size_t>(i) + 1]));
  };
  if (waits) only_if(u.scalar(places.step) > 0);
  if (asks) only_if(u.scalar(places.condition) > 0);
  updates_.push_back(std::make_unique<Update>(dtype, decays, waits, asks, places.count,
                                              u.finish(class_name_.c_str())));
  return *updates_.back();
}

void OptimizerImpl::update(std::vector<Item>& items, int64_t ahead) {
  // Usually all variables are of one kind: one call for all of them.
  for (std::span<Item> left = items; !left.empty();) {
    const DType dtype = left[0].tracked->variable.dtype();
    const bool decays = left[0].tracked->decays;
    const auto end = std::stable_partition(left.begin(), left.end(), [&](const Item& item) {
      return item.tracked->variable.dtype() == dtype && item.tracked->decays == decays;
    });
    const auto count = static_cast<size_t>(end - left.begin());
    update_some(left.first(count), update_for(dtype, decays), ahead);
    left = left.subspan(count);
  }
}

StepNumbers OptimizerImpl::step_numbers(int64_t ahead, bool single) const {
  const int64_t calls = calls_before(ahead);
  return {.step = calls / options_.gradient_accumulation_steps.value_or(1) + 1,
          .rate = rate_after(calls),
          .single = single};
}

/// The numbers of the next step that all variables share.
std::vector<Tensor> OptimizerImpl::shared_numbers(const Update& update, int64_t ahead) {
  const DType computed = computed_in(update.dtype);
  const StepNumbers step = step_numbers(ahead, computed == float32);
  const int64_t calls = calls_before(ahead);
  StepScalars numbers = scalars(step);
  if (update.decays) numbers.push_back(options_.weight_decay.value() * step.rate);
  if (options_.use_ema) numbers.push_back(calls == 0 ? 0 : options_.ema_momentum);
  if (overwrites())
    numbers.push_back((calls + 1) % options_.ema_overwrite_frequency.value() == 0 ? 1 : 0);
  if (update.waits) numbers.push_back(is_step(ahead) ? 1 : 0);
  std::vector<Tensor> shared;
  shared.reserve(numbers.size());
  for (double number : numbers) shared.emplace_back(Number(number), computed);
  return shared;
}

std::vector<Tensor> OptimizerImpl::scalars_later(const Tensor&, const Tensor& rate) const {
  return scalars_are_plain_ ? std::vector{rate} : std::vector<Tensor>{};
}

Tensor OptimizerImpl::is_step_later() const {
  const int64_t every = options_.gradient_accumulation_steps.value_or(1);
  return equal(floormod(iterations_.value() + 1, every), 0);
}

/// The same as part of a function that is being traced, so that a device need not wait for the
/// host; none if the learning rate or the rule is host code.
std::vector<Tensor> OptimizerImpl::shared_numbers_later(const Update& update) const {
  if (!rate_.defined()) return {};
  const DType computed = computed_in(update.dtype);
  const Tensor calls = iterations_.value(), rate = cast(rate_.value(), computed);
  const int64_t every = options_.gradient_accumulation_steps.value_or(1);
  const auto flag = [&](const Tensor& condition) { return cast(condition, computed); };
  std::vector<Tensor> shared = scalars_later(cast(floordiv(calls, every) + 1, computed), rate);
  if (shared.empty()) return {};
  if (update.decays) shared.push_back(rate * options_.weight_decay.value());
  if (options_.use_ema) shared.push_back((1 - flag(equal(calls, 0))) * options_.ema_momentum);
  if (overwrites())
    shared.push_back(flag(equal(floormod(calls + 1, options_.ema_overwrite_frequency.value()), 0)));
  if (update.waits) shared.push_back(flag(is_step_later()));
  return shared;
}

void OptimizerImpl::update_some(std::span<Item> items, const Update& update, int64_t ahead) {
  std::vector<Tensor> shared;
  if (t_state.tracing() && ahead == kUnknownAhead) shared = shared_numbers_later(update);
  if (!shared.empty()) {
    // The run knows them itself.
  } else if (t_state.tracing()) {
    // What a step needs of the host is asked for before each run.
    const std::vector<Spec> specs(static_cast<size_t>(update.scalars),
                                  {computed_in(update.dtype), {}});
    shared =
        ask_host(specs, ahead, iterations_, [self = shared_from_this(), &update](int64_t ahead) {
          return self->shared_numbers(update, ahead);
        });
  } else {
    shared = shared_numbers(update, ahead);
  }
  if (update.asks) shared.push_back(cast(condition_, computed_in(update.dtype)));

  InlineVector<TensorOrVariable, 64> inputs(shared.begin(), shared.end());
  std::vector<Variable> targets;
  for (const Item& item : items) {
    item.tracked->averaged = true;
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

/// The optimizer's own variables come last: until then the numbers of the step are those before it.
void OptimizerImpl::update_own(int64_t ahead) {
  if (own_.empty()) return;
  const auto after = [self = shared_from_this(), ahead] {
    std::vector<Tensor> values;
    const bool steps = self->is_step(ahead);
    const StepScalars numbers = self->own_after(self->step_numbers(ahead, true));
    for (size_t i = 0; i < self->own_.size(); ++i)
      values.push_back(steps ? Tensor(static_cast<float>(numbers[i])) : self->own_[i].value());
    return values;
  };
  const std::vector<Spec> specs(own_.size(), {float32, {}});
  const std::vector<Tensor> values = t_state.tracing() ? host_tensors(specs, after) : after();
  for (size_t i = 0; i < own_.size(); ++i)
    own_[i].assign(unless_skipped(values[i], own_[i].value()));
}

}  // namespace alula::keras
