#include "alula/keras/optimizers/optimizer.h"

#include <algorithm>

#include "alula/keras/words.h"
#include "alula/ops/fill.h"
#include "alula/runtime/dispatch.h"

namespace alula::keras {
namespace {

void check_positive(const std::string& who, const char* what, const Setting<double>& setting) {
  require(setting.value_or(1) > 0, "{}: {} must be greater than 0. Got {}.", who, what,
          setting.value_or(1));
}

void check(const std::string& who, const OptimizerOptions& o) {
  const int clips = o.clipnorm.given() + o.clipvalue.given() + o.global_clipnorm.given();
  require(clips <= 1, "{}: only one of clipnorm, clipvalue and global_clipnorm may be set.", who);
  check_positive(who, "clipnorm", o.clipnorm);
  check_positive(who, "clipvalue", o.clipvalue);
  check_positive(who, "global_clipnorm", o.global_clipnorm);
  check_positive(who, "loss_scale_factor", o.loss_scale_factor);
  require(o.weight_decay.value_or(0) >= 0, "{}: weight_decay must not be negative. Got {}.", who,
          o.weight_decay.value_or(0));
  require(o.ema_momentum >= 0 && o.ema_momentum <= 1, "{}: ema_momentum must be in [0, 1]. Got {}.",
          who, o.ema_momentum);
  require(o.ema_overwrite_frequency.value_or(1) >= 1,
          "{}: ema_overwrite_frequency must be at least 1. Got {}.", who,
          o.ema_overwrite_frequency.value_or(1));
  require(o.gradient_accumulation_steps.value_or(2) >= 2,
          "{}: gradient_accumulation_steps must be at least 2. Got {}.", who,
          o.gradient_accumulation_steps.value_or(2));
  require(o.learning_rate.is_schedule() || o.learning_rate.number() >= 0,
          "{}: the learning rate must not be negative. Got {}.", who, o.learning_rate.number());
}

Tensor rate_tensor(double rate) { return Tensor(static_cast<float>(rate)); }

/// "dense/kernel", "momentum" -> "dense_kernel_momentum"
std::string slot_name(const Variable& variable, const char* slot) {
  std::string name = variable.name() + "_" + slot;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

Variable make_slot(const Variable& variable, const char* name, double initial) {
  return Variable(fill(variable.shape(), initial, variable.dtype()).to(variable.device()),
                  {.trainable = false, .name = slot_name(variable, name)});
}

bool is_among(const Variable& variable, const ExcludeOptions& excluded) {
  return std::any_of(excluded.var_list.begin(), excluded.var_list.end(),
                     [&](const Variable& other) { return other.same_as(variable); }) ||
         std::any_of(excluded.var_names.begin(), excluded.var_names.end(),
                     [&](const std::string& part) {
                       return variable.name().find(part) != std::string::npos;
                     });
}

}  // namespace

std::vector<GradientAndVariable> zip(const std::vector<Tensor>& gradients,
                                     const std::vector<Variable>& variables) {
  require(gradients.size() == variables.size(),
          "zip: there must be as many gradients as variables. Got {} and {}.", gradients.size(),
          variables.size());
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < gradients.size(); ++i) pairs.emplace_back(gradients[i], variables[i]);
  return pairs;
}

OptimizerImpl::OptimizerImpl(const char* class_name, const OptimizerOptions& options)
    : options_(options),
      class_name_(snake_case(class_name)),
      name_(options.name.given() ? options.name.value() : unique_name(class_name_)),
      iterations_(Tensor(int64_t{0}), {.trainable = false, .name = "iteration"}) {
  check(name_, options);
  if (!options.learning_rate.is_schedule())
    rate_ = Variable(rate_tensor(options.learning_rate.number()),
                     {.trainable = false, .name = "learning_rate"});
}

double OptimizerImpl::learning_rate() const {
  return rate_after(iterations_.value().item<int64_t>());
}

/// The learning rate of a call after so many others.
double OptimizerImpl::rate_after(int64_t calls) const {
  return rate_.defined() ? rate_.value().item<float>() : options_.learning_rate.schedule()(calls);
}

void OptimizerImpl::set_learning_rate(double rate) {
  require(rate_.defined(),
          "{}: the learning rate follows a schedule, \"{}\", and cannot be set. Make the optimizer "
          "with a number instead.",
          name_, options_.learning_rate.schedule().name());
  require(rate >= 0, "{}: the learning rate must not be negative. Got {}.", name_, rate);
  require<UnimplementedError>(!t_state.tracing(),
                              "{}: the learning rate cannot be set inside of function(). Set it "
                              "before a call, or use a schedule.",
                              name_);
  rate_.assign(rate_tensor(rate));
}

void OptimizerImpl::build(const std::vector<Variable>& variables) {
  if (built_) return;
  const WithoutTracing once;
  std::vector<Tracked> tracked;
  std::unordered_map<const void*, size_t> positions;
  slot_kinds_ = slots();
  for (const Variable& variable : variables) {
    require(is_floating(variable.dtype()), "{}: the variable '{}' cannot be trained: it is {}.",
            name_, variable.name(), variable.spec());
    require(positions.emplace(variable.key(), tracked.size()).second,
            "{}: the variable '{}' was given twice.", name_, variable.name());
    Tracked item{.variable = variable};
    for (const Slot& slot : slot_kinds_)
      item.slots.push_back(make_slot(variable, slot.name, slot.initial));
    if (options_.use_ema) item.slots.push_back(make_slot(variable, "average", 0));
    if (options_.gradient_accumulation_steps.given())
      item.accumulator = make_slot(variable, "gradient_accumulator", 0);
    item.decays = options_.weight_decay.value_or(0) > 0 && !is_among(variable, excluded_);
    tracked.push_back(std::move(item));
  }
  build_own();
  rule_scalars_ = static_cast<int>(scalars({}).size());
  tracked_ = std::move(tracked);
  positions_ = std::move(positions);
  built_ = true;
}

Variable OptimizerImpl::add_variable(const char* name, float initial) {
  own_.emplace_back(Tensor(initial), VariableOptions{.trainable = false, .name = name});
  return own_.back();
}

std::vector<Variable> OptimizerImpl::variables() const {
  std::vector<Variable> all = {iterations_};
  if (rate_.defined()) all.push_back(rate_);
  if (options_.use_ema)
    for (const Tracked& item : tracked_) all.push_back(item.slots.back());
  for (const Tracked& item : tracked_)
    if (item.accumulator.defined()) all.push_back(item.accumulator);
  all.insert(all.end(), own_.begin(), own_.end());
  int lists = 0;
  for (const Slot& slot : slot_kinds_) lists = std::max(lists, slot.list + 1);
  for (int list = 0; list < lists; ++list)
    for (const Tracked& item : tracked_)
      for (size_t i = 0; i < slot_kinds_.size(); ++i)
        if (slot_kinds_[i].list == list) all.push_back(item.slots[i]);
  return all;
}

void OptimizerImpl::exclude_from_weight_decay(const ExcludeOptions& options) {
  require<FailedPreconditionError>(
      !built_, "{}: exclude_from_weight_decay comes too late: the first step has been made.",
      name_);
  excluded_.var_list.insert(excluded_.var_list.end(), options.var_list.begin(),
                            options.var_list.end());
  excluded_.var_names.insert(excluded_.var_names.end(), options.var_names.begin(),
                             options.var_names.end());
}

void OptimizerImpl::finalize_variable_values(const std::vector<Variable>& variables) {
  const int64_t steps =
      iterations_.value().item<int64_t>() / options_.gradient_accumulation_steps.value_or(1);
  if (!options_.use_ema || !built_ || steps == 0) return;  // without a step there are no averages
  for (size_t i = 0; i < variables.size(); ++i) {
    const Tracked& item = find(variables[i], i);
    if (!item.averaged) continue;
    Variable(item.variable).assign(item.slots.back().value());
  }
}

OptimizerImpl& Optimizer::impl() const {
  require<FailedPreconditionError>(defined(), "optimizer: no optimizer is set.");
  return *impl_;
}

void Optimizer::apply_gradients(const std::vector<GradientAndVariable>& pairs) const {
  std::vector<Tensor> gradients;
  std::vector<Variable> variables;
  for (const auto& [gradient, variable] : pairs) {
    gradients.push_back(gradient);
    variables.push_back(variable);
  }
  impl().apply(gradients, variables);
}

}  // namespace alula::keras
