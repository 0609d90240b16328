#pragma once
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "alula/keras/optimizers/element_update.h"
#include "alula/keras/optimizers/learning_rate.h"
#include "alula/keras/setting.h"
#include "alula/runtime/variable.h"

namespace alula::keras {

using GradientAndVariable = std::pair<Tensor, Variable>;

/// Gradients beside their variables: optimizer.apply_gradients(zip(gradients, variables)).
std::vector<GradientAndVariable> zip(const std::vector<Tensor>& gradients,
                                     const std::vector<Variable>& variables);

/// What every optimizer can be told.
struct OptimizerOptions {
  LearningRate learning_rate = 0.001;
  Setting<double> weight_decay = {};     // before each step a variable loses this share * rate
  Setting<double> clipnorm = {};         // the most that a gradient's norm may be
  Setting<double> clipvalue = {};        // the most that an element's size may be
  Setting<double> global_clipnorm = {};  // the most that the norm of all gradients may be
  bool use_ema = false;                  // keep a moving average of each variable
  double ema_momentum = 0.99;
  Setting<int64_t> ema_overwrite_frequency = {};      // every so many steps variables become it
  Setting<double> loss_scale_factor = {};             // gradients are divided by it
  Setting<int64_t> gradient_accumulation_steps = {};  // step every so many calls, with the mean
  Setting<std::string> name = {};
};

struct ExcludeOptions {
  std::vector<Variable> var_list = {};
  std::vector<std::string> var_names = {};  // every variable whose name contains one of these
};

/// What a step is computed with.
struct StepNumbers {
  int64_t step = 1;    // 1 at the first
  double rate = 0;     // the learning rate
  bool single = true;  // variables are of at most 32 bits: computed in float32, as Keras does
};

/// Calls f with a number of the type that a step is computed in.
template <class F>
auto in_precision_of(const StepNumbers& step, F&& f) {
  return step.single ? f(float{}) : f(double{});
}

using StepScalars = InlineVector<double, 6>;

/// An optimizer's inside: what is written to make a new one. `slots` says what is kept for each
/// element, `rule` what a step does to it.
class OptimizerImpl : public std::enable_shared_from_this<OptimizerImpl> {
 public:
  struct Slot {
    const char* name;
    double initial = 0;
    int list = 0;  // in `variables()`, slots of one list stand beside each other for each variable
  };

  OptimizerImpl(const char* class_name, const OptimizerOptions& options);
  virtual ~OptimizerImpl() = default;
  OptimizerImpl(const OptimizerImpl&) = delete;
  OptimizerImpl& operator=(const OptimizerImpl&) = delete;

  virtual std::vector<Slot> slots() const { return {}; }
  /// The numbers of a step that `rule` reads. The first is the learning rate, or made from it.
  virtual StepScalars scalars(const StepNumbers& step) { return {step.rate}; }
  /// The same in a function that is being traced, of tensors, for a step whose number only a run
  /// knows, since those before it may be skipped. None: the host is asked in the middle of a run.
  virtual std::vector<Tensor> scalars_later(const Tensor& step, const Tensor& rate) const;
  virtual void rule(ElementUpdate& u) const = 0;
  /// What the optimizer's own variables (see `add_variable`) become by a step.
  virtual StepScalars own_after(const StepNumbers&) const { return {}; }

  // What is done with it; users go through `Optimizer`. An optimizer around another one overrides
  // what is virtual here.
  virtual void build(const std::vector<Variable>& variables);
  bool built() const { return built_; }
  virtual void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables);
  /// The same if the condition, a boolean scalar, holds; otherwise nothing changes, though it is
  /// computed. Which of both it is, is not looked at.
  void apply_if(const Tensor& condition, const std::vector<Tensor>& gradients,
                const std::vector<Variable>& variables);
  /// What gradients are to be taken of, so that `apply` gets what it expects.
  virtual Tensor scale_loss(const Tensor& loss) const;
  virtual void exclude_from_weight_decay(const ExcludeOptions& options);
  virtual void finalize_variable_values(const std::vector<Variable>& variables);
  virtual double learning_rate() const;
  virtual void set_learning_rate(double rate);
  const std::string& name() const { return name_; }
  const OptimizerOptions& options() const { return options_; }
  virtual Variable iterations() const { return iterations_; }
  virtual std::vector<Variable> variables() const;
  /// The optimizer that makes the steps: this one, or the one inside.
  virtual const OptimizerImpl& core() const { return *this; }
  void ignore_loss_scale_factor() { options_.loss_scale_factor = {}; }
  /// Says that `scalars` is the one above.
  void set_scalars_plain() { scalars_are_plain_ = true; }

 protected:
  /// A number of the optimizer's own, beside the slots: a float32 variable. From `build_own` only.
  Variable add_variable(const char* name, float initial);
  virtual void build_own() {}
  void set_built() { built_ = true; }

 private:
  struct Tracked {
    Variable variable;
    std::vector<Variable> slots;  // those of `slots()`, then the average
    Variable accumulator;
    bool decays = true;
    bool averaged = false;  // whether there is an average: a step had a gradient for it
  };
  struct Item {
    Tracked* tracked;
    Tensor gradient;
    Tensor clip;  // what the gradient is multiplied by, if norms are clipped
  };
  /// A program for variables of one dtype that decay, or not. In a function that is traced, a call
  /// that only accumulates runs the program, too: `waits`, it then leaves all as it is. So does one
  /// whose condition does not hold: `asks`.
  struct Update {
    DType dtype;
    bool decays, waits, asks;
    int scalars;  // that the host gives
    ElementUpdate::Recorded recorded;
  };
  /// Where a number stands among those that a program reads; -1: it does not.
  struct ScalarPlaces {
    int decay = -1, keep = -1, overwrite = -1, step = -1, condition = -1;
    int count = 0;
  };

  int64_t calls_ahead() const;
  int64_t calls_before(int64_t ahead) const;
  bool is_step(int64_t ahead) const;
  double rate_after(int64_t calls) const;
  ScalarPlaces scalar_places(bool decays, bool waits) const;
  Tensor unless_skipped(const Tensor& after, const Tensor& before) const;
  std::vector<Item> collect(const std::vector<Tensor>& gradients,
                            const std::vector<Variable>& variables);
  Tracked& find(const Variable& variable, size_t position);
  void warn_missing(const Variable& variable);
  bool prepare(std::vector<Item>& items, int64_t ahead);
  bool accumulate(std::vector<Item>& items, int64_t ahead);
  void clip_norms(std::vector<Item>& items) const;
  void update(std::vector<Item>& items, int64_t ahead);
  StepNumbers step_numbers(int64_t ahead, bool single) const;
  std::vector<Tensor> shared_numbers(const Update& update, int64_t ahead);
  std::vector<Tensor> shared_numbers_later(const Update& update) const;
  Tensor is_step_later() const;
  void update_some(std::span<Item> items, const Update& update, int64_t ahead);
  void update_own(int64_t ahead);
  const Update& update_for(DType dtype, bool decays);
  bool clips_norms() const { return options_.clipnorm.given() || options_.global_clipnorm.given(); }
  bool overwrites() const { return options_.use_ema && options_.ema_overwrite_frequency.given(); }

  OptimizerOptions options_;
  std::string class_name_;
  std::string name_;
  bool built_ = false;
  Variable iterations_, rate_;
  std::vector<Slot> slot_kinds_;
  int rule_scalars_ = 0;  // how many numbers the rule reads
  bool scalars_are_plain_ = false;
  std::vector<Tracked> tracked_;
  std::unordered_map<const void*, size_t> positions_;
  std::vector<Variable> own_;
  std::vector<std::unique_ptr<Update>> updates_;
  ExcludeOptions excluded_;
  std::unordered_set<const void*> warned_;
  Tensor condition_;       // of the call under way; undefined: there is none
  bool may_skip_ = false;  // whether calls have conditions: then the host cannot count them
};

/// What makes variables better, step by step. Copies are the same optimizer.
///   Optimizer optimizer = "adam";
///   optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables));
class Optimizer {
 public:
  /// No optimizer: `defined()` is false.
  Optimizer() = default;
  /// By one of Keras's words: "sgd", "rmsprop", "Adam", …; capitals don't matter.
  Optimizer(const char* word);
  Optimizer(const std::string& word) : Optimizer(word.c_str()) {}
  Optimizer(std::shared_ptr<OptimizerImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_ != nullptr; }
  const std::string& name() const { return impl().name(); }
  OptimizerImpl& impl() const;

  /// One step: changes the variables by their gradients. What is kept for them is made at the first
  /// call. A variable whose gradient is undefined is left as it is.
  void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) const {
    impl().apply(gradients, variables);
  }
  void apply_gradients(const std::vector<Tensor>& gradients,
                       const std::vector<Variable>& variables) const {
    impl().apply(gradients, variables);
  }
  void apply_gradients(const std::vector<GradientAndVariable>& pairs) const;
  /// What gradients are to be taken of where the optimizer scales them: the loss times its factor,
  /// by which `apply` divides them again. Training does this by itself.
  ///   tape.gradient(optimizer.scale_loss(loss), variables)
  Tensor scale_loss(const Tensor& loss) const { return impl().scale_loss(loss); }
  /// Makes what is kept for these variables, before the first step.
  void build(const std::vector<Variable>& variables) const { impl().build(variables); }
  bool built() const { return impl().built(); }

  /// The learning rate of the next step. It cannot be set where there is a schedule.
  double learning_rate() const { return impl().learning_rate(); }
  void set_learning_rate(double rate) const { impl().set_learning_rate(rate); }
  /// The number of calls of `apply` so far: int64[].
  Variable iterations() const { return impl().iterations(); }
  /// All that it keeps, in Keras's order: iterations, learning rate, averages, accumulators, slots.
  std::vector<Variable> variables() const { return impl().variables(); }

  /// These variables don't decay. To be said before the first step.
  void exclude_from_weight_decay(const ExcludeOptions& options) const {
    impl().exclude_from_weight_decay(options);
  }
  /// At the end of training with use_ema: variables become their moving averages.
  void finalize_variable_values(const std::vector<Variable>& variables) const {
    impl().finalize_variable_values(variables);
  }

 private:
  std::shared_ptr<OptimizerImpl> impl_;
};

/// An optimizer of one kind, made from its options: optimizers::Adam({.learning_rate = 0.01}).
template <class Impl>
class OptimizerOf : public Optimizer {
 public:
  using Options = typename Impl::Options;
  OptimizerOf(const Options& options = {}) : Optimizer(std::make_shared<Impl>(options)) {
    if constexpr (std::same_as<decltype(&Impl::scalars), decltype(&OptimizerImpl::scalars)>)
      impl().set_scalars_plain();
  }
};

/// What all optimizers' options have in common, by name.
template <class Options>
OptimizerOptions common_options(const Options& o) {
  return {.learning_rate = o.learning_rate,
          .weight_decay = o.weight_decay,
          .clipnorm = o.clipnorm,
          .clipvalue = o.clipvalue,
          .global_clipnorm = o.global_clipnorm,
          .use_ema = o.use_ema,
          .ema_momentum = o.ema_momentum,
          .ema_overwrite_frequency = o.ema_overwrite_frequency,
          .loss_scale_factor = o.loss_scale_factor,
          .gradient_accumulation_steps = o.gradient_accumulation_steps,
          .name = o.name};
}

namespace optimizers {
using keras::Optimizer;
}

}  // namespace alula::keras
