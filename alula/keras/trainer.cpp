#include "alula/keras/trainer.h"

#include <map>

#include "alula/autograd/tape.h"
#include "alula/core/log.h"
#include "alula/keras/optimizers/loss_scale_optimizer.h"
#include "alula/ops/cast.h"
#include "alula/ops/operators.h"

namespace alula::keras {
namespace {

/// The weights of the samples for output i; undefined if all count alike.
Tensor weights_for(const Batch& batch, size_t i) {
  if (batch.sample_weight.empty()) return {};
  return batch.sample_weight[batch.sample_weight.size() == 1 ? 0 : i];
}

/// The number of samples, by which a batch's loss counts in an epoch's mean.
Tensor samples_in(const Batch& batch) {
  return Tensor(Number(batch.x[0].rank() == 0 ? 1 : batch.x[0].shape()[0]), float32);
}

std::vector<Metric> list_for(const MetricLists& metrics, size_t output, size_t outputs) {
  const auto& lists = metrics.all();
  if (lists.empty()) return {};
  if (outputs == 1) {
    std::vector<Metric> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }
  require(lists.size() == outputs,
          "compile: the model has {} outputs, so that `metrics` must have as many items. Got {}. "
          "Write {{{{\"accuracy\"}}, {{\"mse\", \"mae\"}}}}.",
          outputs, lists.size());
  return lists[output];
}

CompiledStep::Mode mode_of(const CompileOptions& options) {
  return options.run_eagerly ? CompiledStep::Mode::kEager : CompiledStep::Mode::kCompiled;
}

/// With the loss scaled where the model needs it.
CompileOptions with_loss_scale(CompileOptions options, const ModelImpl& model) {
  Optimizer& optimizer = options.optimizer;
  const bool wanted = options.auto_scale_loss && model.dtype_policy() == Policy("mixed_float16");
  if (!wanted || !optimizer.defined() || &optimizer.impl().core() != &optimizer.impl())
    return options;
  optimizer = optimizers::LossScaleOptimizer(
      {.inner_optimizer = optimizer, .name = "loss_scale_optimizer"});
  return options;
}

double number(const Tensor& scalar) {
  return scalar.dtype() == float32 ? static_cast<double>(scalar.item<float>())
                                   : scalar.item<double>();
}

}  // namespace

Trainer::Trainer(ModelImpl& model, const CompileOptions& options)
    : model_(model),
      options_(with_loss_scale(options, model)),
      loss_tracker_(metrics::Mean({.name = "loss"})),
      named_{{"loss", loss_tracker_}},
      train_(
          model, "the training step", [this](const Batch& batch) { return train(batch); },
          mode_of(options)),
      test_(
          model, "the evaluation step", [this](const Batch& batch) { return test(batch); },
          mode_of(options)) {
  require(options.steps_per_execution >= 1,
          "compile: steps_per_execution must be at least 1. Got {}.", options.steps_per_execution);
}

/// Checks a batch, and gives each output its loss and metrics. How many outputs there are is known
/// when the first batch comes.
void Trainer::prepare(size_t outputs, const Batch& batch) {
  const size_t targets = batch.y.size(), weights = batch.sample_weight.size();
  const std::vector<Loss>& losses = options_.loss.all();
  require(losses.size() <= 1 || losses.size() == outputs,
          "compile: the model has {} outputs, but there are {} losses.", outputs, losses.size());
  require(targets == 0 || targets == outputs,
          "training: the model has {} outputs, but y has {} tensors.", outputs, targets);
  require(weights <= 1 || weights == outputs,
          "training: the model has {} outputs, but sample_weight has {} tensors. Give one for all "
          "outputs, or one for each.",
          outputs, weights);
  require(
      targets > 0 || (options_.metrics.all().empty() && options_.weighted_metrics.all().empty()),
      "training: there are metrics, but nothing to compare with: y is missing.");
  require(options_.loss_weights.empty() || options_.loss_weights.size() == outputs,
          "compile: the model has {} outputs, but there are {} loss_weights.", outputs,
          options_.loss_weights.size());
  if (!outputs_.empty()) return;
  const WithoutTracing once;
  const std::vector<std::string> names = model_.output_names();
  for (size_t i = 0; i < outputs; ++i) {
    Output output;
    if (!losses.empty()) output.loss = losses.size() == 1 ? losses[0] : losses[i];
    if (!options_.loss_weights.empty()) output.weight = options_.loss_weights[i];
    output.metrics = list_for(options_.metrics, i, outputs);
    output.weighted_metrics = list_for(options_.weighted_metrics, i, outputs);
    output.name = i < names.size() ? names[i] : fmt::format("output_{}", i);
    output.tracker = metrics::Mean({.name = output.name + "_loss"});
    outputs_.push_back(std::move(output));
  }
  name_metrics();
}

void Trainer::name_metrics() {
  named_.clear();
  std::map<std::string, int> used;
  const auto add = [&](const std::string& name, const Metric& metric) {
    const int before = used[name]++;
    named_.emplace_back(before == 0 ? name : fmt::format("{}_{}", name, before), metric);
  };
  add("loss", loss_tracker_);
  const bool several = outputs_.size() > 1;
  for (const Output& output : outputs_)
    if (several && output.loss.defined()) add(output.tracker.name(), output.tracker);
  for (const Output& output : outputs_) {
    const std::string prefix = several ? output.name + "_" : "";
    for (const Metric& metric : output.metrics) add(prefix + metric.name(), metric);
    for (const Metric& metric : output.weighted_metrics) {
      const std::string name = prefix + metric.name();
      add(used.contains(name) ? prefix + "weighted_" + metric.name() : name, metric);
    }
  }
}

/// The losses of all outputs; in total by their weights, with the penalties on weights.
void Trainer::add_losses(const Batch& batch, Forward& forward) const {
  Tensor& total = forward.total;
  const auto include = [&](const Tensor& given) {
    const Tensor part = is_half(given.dtype()) ? cast(given, float32) : given;
    total = total.defined() ? total + part : part;
  };
  forward.losses.assign(outputs_.size(), Tensor());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    if (!output.loss.defined()) continue;
    require(i < batch.y.size(),
            "training: there is a loss, but nothing to compare with: y is missing.");
    const Tensor loss = output.loss(batch.y[i], forward.predictions[i], weights_for(batch, i));
    require(loss.rank() == 0,
            "training: a loss to learn from must be one number. Got {} from '{}'. Give it the "
            "reduction "
            "\"sum_over_batch_size\".",
            loss.spec(), output.loss.name());
    forward.losses[i] = loss;
    include(output.weight == 1 ? loss : loss * output.weight);
  }
  for (const Tensor& penalty : model_.losses()) include(penalty);
  require<FailedPreconditionError>(
      total.defined(), "training: there is nothing to learn from: no loss was given to compile().");
}

void Trainer::update(const Batch& batch, const Forward& forward) {
  const Tensor samples = samples_in(batch);
  loss_tracker_.update_state(forward.total, samples);
  update_all(batch, forward, samples);
}

void Trainer::update_all(const Batch& batch, const Forward& forward, const Tensor& samples) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    const Tensor& predictions = forward.predictions[i];
    if (outputs_.size() > 1 && forward.losses[i].defined())
      output.tracker.update_state(forward.losses[i], samples);
    for (Metric& metric : output.metrics) metric.update_state(batch.y[i], predictions);
    for (Metric& metric : output.weighted_metrics)
      metric.update_state(batch.y[i], predictions, weights_for(batch, i));
  }
}

Trainer::Forward Trainer::run_forward(const Batch& batch, const CallOptions& options) {
  Forward forward{.predictions = model_.run_all(batch.x, options), .losses = {}, .total = {}};
  prepare(forward.predictions.size(), batch);
  add_losses(batch, forward);
  return forward;
}

Tensor Trainer::compute_loss(const Batch& batch, const std::vector<Tensor>& predictions) {
  prepare(predictions.size(), batch);
  Forward forward{.predictions = predictions, .losses = {}, .total = {}};
  add_losses(batch, forward);
  return forward.total;
}

void Trainer::update_metrics(const Batch& batch, const std::vector<Tensor>& predictions) {
  prepare(predictions.size(), batch);
  const Forward forward{
      .predictions = predictions, .losses = std::vector<Tensor>(predictions.size()), .total = {}};
  update_all(batch, forward, samples_in(batch));
}

std::vector<Tensor> Trainer::note(const OwnSteps::Measured& measured, Own& own) {
  own.names.clear();
  std::vector<Tensor> values;
  for (const auto& [name, value] : measured) {
    own.names.push_back(name);
    values.push_back(value);
  }
  return values;
}

/// The loss among what a step gave.
Tensor Trainer::take(const Tensors& results, Own& own) {
  last_ = &own;
  if (own.names.empty()) return results.empty() ? Tensor() : results[0];
  own.values.assign(results.begin(), results.end());
  for (size_t i = 0; i < own.values.size(); ++i)
    if (own.names[i] == "loss") return own.values[i];
  return {};
}

std::vector<Tensor> Trainer::train(const Batch& batch) {
  if (model_.own_steps.train) return note(model_.own_steps.train(batch), own_train_);
  GradientTape tape;
  const Forward forward = run_forward(batch, {.training = true});
  std::vector<Variable> variables = Layer(model_.shared_from_this()).trainable_variables();
  if (!variables.empty()) {
    const Tensor scaled = options_.optimizer.scale_loss(forward.total);
    options_.optimizer.apply(tape.gradient(scaled, variables), variables);
  } else if (!warned_) {
    warned_ = true;
    logging::warn("training: the model '{}' has no trainable weights: it learns nothing.",
                  model_.name());
  }
  update(batch, forward);
  return {forward.total};
}

std::vector<Tensor> Trainer::test(const Batch& batch) {
  if (model_.own_steps.test) return note(model_.own_steps.test(batch), own_test_);
  const Forward forward = run_forward(batch, {.training = false});
  update(batch, forward);
  return {forward.total};
}

Logs Trainer::logs() const {
  Logs logs;
  if (!last_->names.empty()) {
    for (size_t i = 0; i < last_->values.size(); ++i)
      logs.set(last_->names[i], number(cast(last_->values[i], float64)));
    return logs;
  }
  for (const auto& [name, metric] : named_) logs.set(name, number(metric.result()));
  return logs;
}

void Trainer::reset() {
  if (model_.own_steps.reset) model_.own_steps.reset();
  for (const auto& [name, metric] : named_) metric.reset_state();
}

Metric Trainer::find_metric(const std::string& wanted) const {
  for (const auto& [name, metric] : named_)
    if (name == wanted && name != "loss") return metric;
  return {};
}

std::vector<Tensor> predict_step(ModelImpl& model, const Batch& batch) {
  if (!batch.y.empty() || !batch.sample_weight.empty())
    return predict_step(model, {batch.x, {}, {}});
  std::shared_ptr<CompiledStep> predictor = model.predictor.load();
  if (predictor == nullptr) {
    const bool eager = model.trainer != nullptr && model.trainer->options().run_eagerly;
    predictor = std::make_shared<CompiledStep>(
        model, "predict",
        [&model](const Batch& inputs) {
          if (model.own_steps.predict) return model.own_steps.predict(inputs);
          return model.run_all(inputs.x, {.training = false});
        },
        eager ? CompiledStep::Mode::kEager : CompiledStep::Mode::kCompiled);
    model.predictor.store(predictor);
  }
  const Tensors outputs = (*predictor)(batch);
  return {outputs.begin(), outputs.end()};
}

std::shared_ptr<Trainer> trainer_of(const Model& model, const char* who) {
  require<FailedPreconditionError>(
      model.compiled(),
      "{}: the model '{}' is not compiled. Call compile() first, to say what is "
      "to be optimised and how.",
      who, model.name());
  return model.impl().trainer;
}

}  // namespace alula::keras
