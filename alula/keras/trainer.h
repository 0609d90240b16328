#pragma once
#include "alula/keras/compiled_step.h"
#include "alula/keras/metrics/mean.h"
#include "alula/keras/model.h"

namespace alula::keras {

/// What `compile` makes of its options: it runs steps, and keeps what they add up to.
class Trainer {
 public:
  Trainer(ModelImpl& model, const CompileOptions& options);

  /// Each runs one batch and adds it to the metrics. The loss is the batch's; undefined where a
  /// step of the model's own gives none.
  Tensor train_step(const Batch& batch) { return take(train_(batch), own_train_); }
  Tensor test_step(const Batch& batch) { return take(test_(batch), own_test_); }
  /// The same for several batches in a row, picked from data that are on a device; the loss is the
  /// last one's. `losses`: those of all, tensors whose rows begin with one each, in order.
  Tensor train_steps(const ResidentData& data, std::span<const data::Picks> picks,
                     std::vector<Tensor>& losses) {
    const Tensor loss = take(train_.run_resident(data, picks, &losses), own_train_);
    if (!own_train_.names.empty() && own_train_.names[0] != "loss") losses.clear();
    return loss;
  }
  Tensor test_steps(const ResidentData& data, std::span<const data::Picks> picks) {
    return take(test_.run_resident(data, picks), own_test_);
  }
  /// Whether steps are compiled, as far as it is known.
  bool is_compiled() const { return train_.is_compiled() && test_.is_compiled(); }
  /// How often the steps were traced.
  size_t trace_count() const { return train_.trace_count() + test_.trace_count(); }

  /// Loss and metrics since the last reset, as Keras orders them.
  Logs logs() const;
  void reset();
  Optimizer& optimizer() { return options_.optimizer; }
  const CompileOptions& options() const { return options_; }
  /// The metric of that name, for callbacks that ask whether more is better; undefined if there is
  /// none.
  Metric find_metric(const std::string& wanted) const;
  /// All metrics as Keras names and orders them, the loss first; the others are known from the
  /// first batch on.
  const std::vector<std::pair<std::string, Metric>>& metrics() const { return named_; }

  // For a model's own steps.
  /// The loss of a batch with these predictions: what `compile` was told, and the penalties.
  Tensor compute_loss(const Batch& batch, const std::vector<Tensor>& predictions);
  /// Adds a batch to the metrics, but not to the mean of the loss.
  void update_metrics(const Batch& batch, const std::vector<Tensor>& predictions);

 private:
  struct Output {
    Loss loss;  // undefined: not part of the total
    double weight = 1;
    std::string name;
    std::vector<Metric> metrics, weighted_metrics;
    metrics::Mean tracker;  // of its own loss, where there are several
  };

  /// The outputs of a model, and the losses of those that have one.
  struct Forward {
    std::vector<Tensor> predictions;
    std::vector<Tensor> losses;
    Tensor total;
  };

  std::vector<Tensor> train(const Batch& batch);
  std::vector<Tensor> test(const Batch& batch);
  /// What a step of the model's own gives: the names are known from its trace, the values from its
  /// last run. No names: it is the trainer's step.
  struct Own {
    std::vector<std::string> names;
    std::vector<Tensor> values;
  };
  static std::vector<Tensor> note(const OwnSteps::Measured& measured, Own& own);
  Tensor take(const Tensors& results, Own& own);
  Forward run_forward(const Batch& batch, const CallOptions& options);
  void prepare(size_t outputs, const Batch& batch);
  void name_metrics();
  void add_losses(const Batch& batch, Forward& forward) const;
  void update(const Batch& batch, const Forward& forward);
  void update_all(const Batch& batch, const Forward& forward, const Tensor& samples);

  ModelImpl& model_;
  CompileOptions options_;
  std::vector<Output> outputs_;  // known at the first step
  bool warned_ = false;          // that there is nothing to train
  metrics::Mean loss_tracker_;
  std::vector<std::pair<std::string, Metric>>
      named_;  // all metrics, as Keras names and orders them
  Own own_train_, own_test_;
  const Own* last_ = &own_train_;  // of the step that ran last
  CompiledStep train_, test_;
};

/// The outputs for the inputs of a batch.
std::vector<Tensor> predict_step(ModelImpl& model, const Batch& batch);

/// The trainer of a compiled model, or an error naming `who`. Whoever runs steps holds it: a
/// callback may compile the model anew meanwhile.
std::shared_ptr<Trainer> trainer_of(const Model& model, const char* who);

}  // namespace alula::keras
