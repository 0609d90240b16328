#pragma once
#include "alula/keras/metrics/mean.h"
#include "alula/keras/model.h"

namespace alula::keras {

/// What `compile` makes of its options: it runs steps, and keeps what they add up to.
class Trainer {
 public:
  Trainer(ModelImpl& model, const CompileOptions& options);

  /// Each runs one batch and adds it to the metrics. The loss is the batch's.
  Tensor train_step(const data::Batch& batch);
  Tensor test_step(const data::Batch& batch);

  /// Loss and metrics since the last reset, as Keras orders them.
  Logs logs() const;
  void reset();
  Optimizer& optimizer() { return options_.optimizer; }
  const CompileOptions& options() const { return options_; }
  /// The metric of that name, for callbacks that ask whether more is better; undefined if there is
  /// none.
  Metric find_metric(const std::string& wanted) const;

 private:
  struct Output {
    Loss loss;  // undefined: not part of the total
    double weight = 1;
    std::string name;
    std::vector<Metric> metrics, weighted_metrics;
    metrics::Mean tracker;  // of its own loss, where there are several
  };

  /// Calls f(name, metric) for each metric, as Keras names and orders them.
  template <class F>
  void for_each_metric(const F& f) const;
  void prepare(size_t outputs, const data::Batch& batch);
  Tensor total_loss(const data::Batch& batch, const std::vector<Tensor>& predictions);
  void update(const data::Batch& batch, const std::vector<Tensor>& predictions, const Tensor& loss);

  ModelImpl& model_;
  CompileOptions options_;
  std::vector<Output> outputs_;  // known at the first step
  std::vector<Tensor> output_losses_;
  bool warned_ = false;  // that there is nothing to train
  metrics::Mean loss_tracker_;
};

/// The trainer of a compiled model, or an error naming `who`. Whoever runs steps holds it: a
/// callback may compile the model anew meanwhile.
std::shared_ptr<Trainer> trainer_of(const Model& model, const char* who);

}  // namespace alula::keras
