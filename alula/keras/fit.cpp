#include "alula/keras/fit.h"

#include <cmath>
#include <optional>

#include "alula/core/log.h"
#include "alula/keras/interrupt.h"
#include "alula/keras/placed.h"
#include "alula/keras/progress_bar.h"
#include "alula/keras/trainer.h"
#include "alula/ops/arg_reduce.h"
#include "alula/ops/cast.h"
#include "alula/ops/concat.h"
#include "alula/ops/reshape.h"

namespace alula::keras::loops {
namespace {

/// The callbacks of one call, told one after another.
class Callbacks {
 public:
  Callbacks(const std::vector<CallbackRef>& callbacks, Model& model, const Callback::Params& params)
      : callbacks_(callbacks) {
    for (const CallbackRef& callback : callbacks_) {
      callback->set_model(model);
      callback->set_params(params);
      use_batches_ = use_batches_ || callback->uses_batches();
    }
  }
  /// Whether any of them does something after a batch: only then are its numbers found out.
  bool use_batches() const { return use_batches_; }
  template <class... Parameters, class... Arguments>
  void tell(void (Callback::*what)(Parameters...), Arguments&&... arguments) const {
    for (const CallbackRef& callback : callbacks_) ((*callback).*what)(arguments...);
  }

 private:
  const std::vector<CallbackRef>& callbacks_;
  bool use_batches_ = false;
};

/// Runs steps in a row, at most so many and as many as there are batches for; the first one's
/// is given. The number of steps.
template <class Step>
int64_t execute(int64_t most, Walk& walk, Batch& batch, const Step& step) {
  int64_t count = 1;
  for (step(); count < most && walk.next(batch); ++count) step();
  return count;
}

/// Says once at which step a loss stopped being a number.
class NaNWatch {
 public:
  void look_at(const Tensor& loss, int64_t epoch, int64_t step) {
    if (said_ || !loss.defined()) return;
    const double number = loss.dtype() == float32 ? static_cast<double>(loss.item<float>())
                                                  : cast(loss, float64).item<double>();
    if (!std::isfinite(number)) say(number, epoch, step);
  }
  /// Those of steps on a device, as Trainer::train_steps gives them. To look at one is to wait for
  /// it: that is done later.
  void keep(std::vector<Tensor> losses, int64_t epoch, int64_t step) {
    constexpr size_t kMost = 1000;
    if (said_) return;
    for (Tensor& some : losses) {
      const int64_t count = some.shape()[0];
      kept_.push_back({std::move(some), epoch, std::exchange(step, step + count)});
    }
    if (kept_.size() > kMost) look_at_kept();
  }
  /// What is no number stays none, so that the last one tells.
  void look_at_kept() {
    if (!kept_.empty() && !std::isfinite(numbers_of(kept_.back()).back())) find_first();
    kept_.clear();
  }

 private:
  struct Kept {
    Tensor losses;
    int64_t epoch;
    int64_t step;  // of the first
  };

  static std::vector<double> numbers_of(const Kept& kept) {
    const Tensor all = cast(kept.losses, float64).cpu();
    std::vector<double> numbers;
    for (int64_t i = 0; i < all.shape()[0]; ++i)
      numbers.push_back(all.span<double>()[static_cast<size_t>(i * all.shape()[1])]);
    return numbers;
  }
  void find_first() {
    for (const Kept& kept : kept_) {
      const std::vector<double> numbers = numbers_of(kept);
      const auto found =
          std::ranges::find_if_not(numbers, [](double x) { return std::isfinite(x); });
      if (found == numbers.end()) continue;
      say(*found, kept.epoch, kept.step + (found - numbers.begin()));
      return;
    }
  }
  void say(double number, int64_t epoch, int64_t step) {
    said_ = true;
    logging::warn(
        "fit: the loss became {} at step {} of epoch {}. A smaller learning rate, clipnorm, or a "
        "look at the data of that step may help; callbacks::TerminateOnNaN stops there.",
        number, step + 1, epoch + 1);
  }

  bool said_ = false;
  std::vector<Kept> kept_;
};

Logs with_prefix(const Logs& logs, const std::string& prefix) {
  Logs result;
  for (const auto& [name, value] : logs) result.set(prefix + name, value);
  return result;
}

/// Evaluates, as a part of `fit` until that is interrupted; without a bar if there is none.
Logs run_tests(Model& model, Walk& walk, Placed& placed, const Callbacks& callbacks,
               const InterruptScope* interrupt, ProgressBar* bar) {
  const std::shared_ptr<Trainer> trainer = trainer_of(model, "evaluate");
  trainer->reset();
  callbacks.tell(&Callback::on_test_begin);
  walk.put_ahead_on(placed.home());
  walk.begin_epoch();
  Batch batch;
  int64_t step = 0;
  const auto stopped = [&] { return interrupt != nullptr && interrupt->interrupted(); };
  while (!stopped() && walk.next(batch)) {
    callbacks.tell(&Callback::on_test_batch_begin, step);
    const int64_t at_once = trainer->options().steps_per_execution;
    if (walk.gives_picks())
      step += placed.execute(
          {placed.testing, at_once, callbacks.use_batches(), interrupt == nullptr}, walk, batch,
          [&](const Batch& picked) { trainer->test_step(picked); },
          [&](const ResidentData& data, std::span<const data::Picks> picks) {
            trainer->test_steps(data, picks);
          });
    else
      step += execute(at_once, walk, batch, [&] { trainer->test_step(batch); });
    if (callbacks.use_batches())
      callbacks.tell(&Callback::on_test_batch_end, step - 1, trainer->logs().sorted());
    if (bar != nullptr && bar->is_due()) bar->update(step, trainer->logs().sorted());
  }
  require(step > 0 || stopped(), "evaluate: the data set gave no batch.");
  Logs logs = trainer->logs();
  if (bar != nullptr) bar->finish(step, logs.sorted());
  callbacks.tell(&Callback::on_test_end, logs.sorted());
  return logs;
}

/// One call of `fit`.
class Fit {
 public:
  Fit(Model model, const data::Dataset& dataset, const FitOptions& options,
      const data::Dataset* validation)
      : model_(std::move(model)),
        trainer_(trainer_of(model_, "fit")),
        options_(options),
        walk_(dataset, options.steps_per_epoch, "fit"),
        placed_(model_),
        callbacks_(options.callbacks, model_,
                   {options.verbose.level(), options.epochs, walk_.steps()}) {
    require(options.epochs > 0, "fit: the number of epochs must be positive. Got {}.",
            options.epochs);
    require(options.validation_freq > 0, "fit: validation_freq must be positive. Got {}.",
            options.validation_freq);
    if (validation != nullptr)
      validation_ = std::make_unique<Walk>(*validation, options.validation_steps, "fit");
    if (!options.class_weight.empty() || !trainer_->is_compiled()) return;
    if (placed_.wanted().is_cpu()) return;
    walk_.keep_for(placed_.wanted());
    if (validation_ != nullptr) validation_->keep_for(placed_.wanted());
  }

  History run() {
    const InterruptScope interrupt;
    model_.set_stop_training(false);
    callbacks_.tell(&Callback::on_train_begin);
    Logs logs;
    for (int64_t epoch = options_.initial_epoch; epoch < options_.epochs; ++epoch) {
      logs = run_epoch(epoch, interrupt);
      if (interrupt.interrupted()) history_.interrupted = true;
      if (model_.stop_training() || history_.interrupted) break;
    }
    trainer_->optimizer().finalize_variable_values(model_.trainable_variables());
    callbacks_.tell(&Callback::on_train_end, logs);
    return std::move(history_);
  }

 private:
  Logs run_epoch(int64_t epoch, const InterruptScope& interrupt) {
    trainer_ = trainer_of(model_, "fit");  // a callback may have compiled the model anew
    trainer_->reset();
    callbacks_.tell(&Callback::on_epoch_begin, epoch);
    ProgressBar bar({.target = walk_.steps(), .verbose = options_.verbose.level()});
    if (options_.epochs > 1) bar.title(epoch + 1, options_.epochs);
    if (placed_.stays_on_cpu() && walk_.maps_better_ahead()) walk_.stop_keeping();
    if (options_.class_weight.empty()) walk_.put_ahead_on(placed_.home());
    walk_.begin_epoch();
    int64_t step = 0;
    Batch batch;
    Tensor loss;
    while (!model_.stop_training() && !interrupt.interrupted() && walk_.next(batch)) {
      callbacks_.tell(&Callback::on_train_batch_begin, step);
      const int64_t at_once = trainer_->options().steps_per_execution;
      if (walk_.gives_picks()) {
        int64_t at = step;
        step += placed_.execute(
            {placed_.training, at_once, callbacks_.use_batches()}, walk_, batch,
            [&](const Batch& picked) {
              loss = trainer_->train_step(picked);
              nan_watch_.look_at(loss, epoch, at++);
            },
            [&](const ResidentData& data, std::span<const data::Picks> picks) {
              std::vector<Tensor> losses;
              loss = trainer_->train_steps(data, picks, losses);
              nan_watch_.keep(std::move(losses), epoch, at);
              at += std::ssize(picks);
            });
      } else {
        step += execute(at_once, walk_, batch, [&] { loss = train(batch); });
      }
      const bool due = bar.is_due();
      if (!walk_.gives_picks()) watch(loss, epoch, step - 1);
      if (due) nan_watch_.look_at_kept();
      if (callbacks_.use_batches())
        callbacks_.tell(&Callback::on_train_batch_end, step - 1, trainer_->logs().sorted());
      if (due) bar.update(step, trainer_->logs().sorted());
    }
    require(step > 0 || interrupt.interrupted() || model_.stop_training(),
            "fit: the data set gave no batch.");
    nan_watch_.look_at_kept();
    Logs logs = trainer_->logs().sorted();
    if (validation_ != nullptr && !interrupt.interrupted() &&
        (epoch + 1) % options_.validation_freq == 0) {
      bar.update(step, logs);
      const Logs tested = run_tests(model_, *validation_, placed_, callbacks_, &interrupt, nullptr);
      for (const auto& [name, value] : with_prefix(tested.sorted(), "val_")) logs.set(name, value);
    }
    // The bar comes last, as in Keras: after what callbacks print, and with what they add.
    callbacks_.tell(&Callback::on_epoch_end, epoch, logs);
    bar.finish(step, logs);
    history_.add(epoch, logs);
    return logs;
  }

  /// Of a step whose batch came from the host.
  void watch(const Tensor& loss, int64_t epoch, int64_t step) {
    if (!loss.defined() || loss.device().is_cpu()) {
      nan_watch_.look_at(loss, epoch, step);
      return;
    }
    // The step's own memory is left to it, to be written again.
    Backend& backend = backend_of(loss.device());
    Tensor copy = Tensor::uninitialized(loss.spec().with({1, 1}), backend);
    backend.copy(copy.mutable_data(), loss.data(), static_cast<size_t>(copy.bytes()));
    nan_watch_.keep({std::move(copy)}, epoch, step);
  }

  Tensor train(Batch& batch) {
    if (!options_.class_weight.empty()) weigh(batch);
    return trainer_->train_step(batch);
  }

  void weigh(Batch& batch) const {
    require(batch.y.size() == 1, "fit: class_weight is for models with one output. Got {} of them.",
            batch.y.size());
    require(batch.sample_weight.empty(), "fit: give class_weight or sample_weight, not both.");
    batch.sample_weight = {sample_weights(batch.y[0], options_.class_weight)};
  }

  Model model_;
  std::shared_ptr<Trainer> trainer_;
  const FitOptions& options_;
  Walk walk_;
  Placed placed_;
  Callbacks callbacks_;
  std::unique_ptr<Walk> validation_;
  NaNWatch nan_watch_;
  History history_;
};

}  // namespace

Tensor sample_weights(const Tensor& y, const std::map<int64_t, double>& class_weight) {
  const bool one_hot = y.rank() > 1 && y.shape().back() > 1;
  const Tensor classes = one_hot ? argmax(y, {.axis = -1}) : cast(reshape(y, {-1}), int64);
  std::vector<float> weights;
  for (int64_t label : classes.to_vector<int64_t>()) {
    const auto found = class_weight.find(label);
    weights.push_back(found == class_weight.end() ? 1.0F : static_cast<float>(found->second));
  }
  return Tensor(weights);
}

History fit(Model model, const data::Dataset& dataset, const FitOptions& options,
            const data::Dataset* validation) {
  return Fit(std::move(model), dataset, options, validation).run();
}

Logs evaluate(Model model, const data::Dataset& dataset, const EvaluateOptions& options) {
  Walk walk(dataset, options.steps, "evaluate");
  Placed placed(model);
  if (trainer_of(model, "evaluate")->is_compiled() && !placed.wanted().is_cpu())
    walk.keep_for(placed.wanted());
  const Callbacks callbacks(options.callbacks, model, {options.verbose.level(), 1, walk.steps()});
  ProgressBar bar({.target = walk.steps(), .verbose = options.verbose.level()});
  return run_tests(model, walk, placed, callbacks, nullptr, &bar);
}

std::vector<Tensor> predict(Model model, const data::Dataset& dataset,
                            const PredictOptions& options) {
  Walk walk(dataset, options.steps, "predict");
  const Callbacks callbacks(options.callbacks, model, {options.verbose.level(), 1, walk.steps()});
  ProgressBar bar({.target = walk.steps(), .verbose = options.verbose.level()});
  callbacks.tell(&Callback::on_predict_begin);
  walk.put_ahead_on(Placed(model).home());
  walk.begin_epoch();
  std::vector<std::vector<Tensor>> parts;  // of each output
  Batch batch;
  int64_t step = 0;
  const int64_t at_once =
      model.compiled() ? model.impl().trainer->options().steps_per_execution : 1;
  while (walk.next(batch)) {
    callbacks.tell(&Callback::on_predict_batch_begin, step);
    step += execute(at_once, walk, batch, [&] {
      const std::vector<Tensor> outputs = predict_step(model.impl(), batch);
      parts.resize(outputs.size());
      for (size_t i = 0; i < outputs.size(); ++i) parts[i].push_back(outputs[i]);
    });
    callbacks.tell(&Callback::on_predict_batch_end, step - 1);
    if (bar.is_due()) bar.update(step, {});
  }
  require(step > 0, "predict: the data set gave no batch.");
  bar.finish(step, {});
  callbacks.tell(&Callback::on_predict_end);
  std::vector<Tensor> results;
  for (const std::vector<Tensor>& part : parts)
    results.push_back(part.size() == 1 ? part[0] : concat(part, 0));
  return results;
}

}  // namespace alula::keras::loops
