#pragma once
#include <functional>
#include <optional>

#include "alula/keras/batch.h"
#include "alula/keras/callback.h"
#include "alula/keras/losses/loss.h"
#include "alula/keras/metrics/metric.h"
#include "alula/keras/model_impl.h"
#include "alula/keras/optimizers/optimizer.h"
#include "alula/keras/summary.h"

namespace alula::keras {

/// How much is printed: 0 nothing, 1 a progress bar, 2 a line an epoch; "auto" is 1.
class Verbosity {
 public:
  Verbosity() = default;
  Verbosity(int level);
  Verbosity(const char* word);
  int level() const { return level_; }

 private:
  int level_ = 1;
};

/// A loss for each output, or one for all.
class Losses {
 public:
  Losses() = default;
  Losses(const char* word) : losses_{Loss(word)} {}
  Losses(const std::string& word) : losses_{Loss(word)} {}
  Losses(const Loss& loss) : losses_{loss} {}
  template <LossFunction F>
    requires(!std::derived_from<F, Loss>)
  Losses(F function) : losses_{Loss(std::move(function))} {}
  Losses(std::initializer_list<Loss> losses) : losses_(losses) {}
  Losses(std::vector<Loss> losses) : losses_(std::move(losses)) {}
  const std::vector<Loss>& all() const { return losses_; }

 private:
  std::vector<Loss> losses_;
};

/// One metric, or several: {"mse", "mae"}.
class MetricList {
 public:
  MetricList() = default;
  template <std::convertible_to<Metric> M>
  MetricList(M metric) : metrics_{Metric(std::move(metric))} {}
  MetricList(std::initializer_list<Metric> metrics) : metrics_(metrics) {}
  const std::vector<Metric>& all() const { return metrics_; }

 private:
  std::vector<Metric> metrics_;
};

/// Metrics of a model's only output: {"accuracy", "mse"}; of a model with several outputs an item
/// for each: {{"accuracy"}, {"mse", "mae"}}, {{}, "mse"}.
class MetricLists {
 public:
  MetricLists() = default;
  MetricLists(std::initializer_list<MetricList> lists) {
    for (const MetricList& list : lists) lists_.push_back(list.all());
  }
  MetricLists(const std::vector<Metric>& metrics) {
    for (const Metric& metric : metrics) lists_.push_back({metric});
  }
  MetricLists(std::vector<std::vector<Metric>> lists) : lists_(std::move(lists)) {}
  const std::vector<std::vector<Metric>>& all() const { return lists_; }

 private:
  std::vector<std::vector<Metric>> lists_;
};

/// Whether steps are compiled: true, false, or "auto".
class JitCompile {
 public:
  JitCompile() = default;
  template <std::same_as<bool> B>
  JitCompile(B on) : on_(on), automatic_(false) {}
  JitCompile(const char* word);
  bool automatic() const { return automatic_; }
  /// Where it is not automatic.
  bool on() const { return on_; }

 private:
  bool on_ = false, automatic_ = true;
};

struct CompileOptions {
  Optimizer optimizer = "rmsprop";
  Losses loss = {};
  std::vector<double> loss_weights = {};  // one an output; all 1
  MetricLists metrics = {};
  MetricLists weighted_metrics = {};  // those that see the samples' weights
  // How steps are run; what they compute stays the same.
  bool run_eagerly = false;         // op by op, rather than compiled: to look at values on the way
  int64_t steps_per_execution = 1;  // so many steps in a row, before callbacks are told
  JitCompile jit_compile = "auto";  // steps are compiled in any case
  bool auto_scale_loss = true;      // scale the loss if the model's policy is "mixed_float16"
};

/// What `fit` evaluates on after an epoch: {x, y}, {x, y, sample_weight}, or a data set.
class ValidationData {
 public:
  ValidationData() = default;
  ValidationData(const TensorList& x, const TensorList& y, const TensorList& sample_weight = {})
      : arrays_{x.tensors(), y.tensors(), sample_weight.tensors()} {}
  ValidationData(const data::Dataset& dataset) : dataset_(dataset) {}

  bool given() const { return dataset_.has_value() || !arrays_.x.empty(); }
  const std::optional<data::Dataset>& dataset() const { return dataset_; }
  const Batch& arrays() const { return arrays_; }

 private:
  Batch arrays_;
  std::optional<data::Dataset> dataset_;
};

struct FitOptions {
  Setting<int64_t> batch_size = {};  // 32
  int64_t epochs = 1;
  Verbosity verbose = {};
  std::vector<CallbackRef> callbacks = {};
  double validation_split = 0;  // this part of the samples, the last ones, is for validation
  ValidationData validation_data = {};
  bool shuffle = true;
  std::map<int64_t, double> class_weight = {};
  TensorList sample_weight = {};
  int64_t initial_epoch = 0;
  Setting<int64_t> steps_per_epoch = {};
  Setting<int64_t> validation_steps = {};
  Setting<int64_t> validation_batch_size = {};
  int64_t validation_freq = 1;
};

struct EvaluateOptions {
  Setting<int64_t> batch_size = {};
  Verbosity verbose = {};
  TensorList sample_weight = {};
  Setting<int64_t> steps = {};
  std::vector<CallbackRef> callbacks = {};
};

struct PredictOptions {
  Setting<int64_t> batch_size = {};
  Verbosity verbose = {};
  Setting<int64_t> steps = {};
  std::vector<CallbackRef> callbacks = {};
};

struct TrainOnBatchOptions {
  TensorList sample_weight = {};
  std::map<int64_t, double> class_weight = {};
};

struct FunctionalOptions {
  TensorList inputs = {};
  TensorList outputs = {};
  std::string name = {};
};

/// A model: a layer that can be trained. Copies are the same model.
///   Tensor x = keras::Input({.shape = {8}});
///   Model model({.inputs = x, .outputs = layers::Dense({.units = 1})(x)});
///   model.compile({.optimizer = "adam", .loss = "mse"});
///   model.fit(train_x, train_y, {.epochs = 5});
class Model : public Layer {
 public:
  Model() = default;
  /// From calls of layers on what `Input` gave.
  Model(const FunctionalOptions& options);
  explicit Model(std::shared_ptr<ModelImpl> impl) : Layer(std::move(impl)) {}

  /// Says how the model is trained. It can be called again; weights stay.
  void compile(const CompileOptions& options) const;
  bool compiled() const;

  /// Trains for some epochs.
  History fit(const TensorList& x, const TensorList& y, const FitOptions& options = {}) const;
  History fit(const data::Dataset& dataset, const FitOptions& options = {}) const;
  /// Loss and metrics over all samples.
  Logs evaluate(const TensorList& x, const TensorList& y,
                const EvaluateOptions& options = {}) const;
  Logs evaluate(const data::Dataset& dataset, const EvaluateOptions& options = {}) const;
  /// The outputs for all samples, batch by batch.
  Tensor predict(const TensorList& x, const PredictOptions& options = {}) const;
  Tensor predict(const data::Dataset& dataset, const PredictOptions& options = {}) const;
  /// The same for a model with several outputs.
  std::vector<Tensor> predict_all(const TensorList& x, const PredictOptions& options = {}) const;
  std::vector<Tensor> predict_all(const data::Dataset& dataset,
                                  const PredictOptions& options = {}) const;

  /// One step on one batch; metrics are those of this batch.
  Logs train_on_batch(const TensorList& x, const TensorList& y,
                      const TrainOnBatchOptions& options = {}) const;
  Logs test_on_batch(const TensorList& x, const TensorList& y,
                     const TrainOnBatchOptions& options = {}) const;
  Tensor predict_on_batch(const TensorList& x) const;

  std::vector<Layer> layers() const { return impl().layers(); }
  /// The layer of that name or at that place, or an error that lists what there is.
  Layer get_layer(const std::string& name) const;
  Layer get_layer(int64_t index) const;
  Optimizer optimizer() const;
  /// Ends training after the step under way: for callbacks.
  void set_stop_training(bool stop) const { impl().stop_training = stop; }
  bool stop_training() const { return impl().stop_training; }

  /// Prints the layers with their output shapes and sizes.
  void summary(const SummaryOptions& options = {}) const;

  /// Writes the weights to a safetensors file, whole or not at all; reads them back.
  void save_weights(const std::string& path) const;
  void load_weights(const std::string& path) const;

  ModelImpl& impl() const { return static_cast<ModelImpl&>(Layer::impl()); }
};

/// The handle of a model class of one's own: see ModelImpl.
template <class Impl>
using ModelOf = LayerOf<Impl, Model>;

struct SequentialOptions {
  std::string name = {};
};

/// A model that calls one layer after another.
///   Sequential model({layers::Dense({.units = 8, .activation = "relu"}), layers::Dense({.units =
///   1})});
class Sequential : public Model {
 public:
  Sequential() : Sequential(std::vector<Layer>()) {}
  Sequential(std::initializer_list<Layer> layers, const SequentialOptions& options = {})
      : Sequential(std::vector<Layer>(layers), options) {}
  explicit Sequential(std::vector<Layer> layers, const SequentialOptions& options = {});
  explicit Sequential(std::shared_ptr<SequentialImpl> impl) : Model(std::move(impl)) {}

  /// Adds a layer at the end; takes the last one away.
  void add(const Layer& layer) const;
  void pop() const;
};

namespace models {

/// A model of the same layers, with fresh weights, and not compiled.
Model clone_model(const Model& model);
Sequential clone_model(const Sequential& model);

}  // namespace models
}  // namespace alula::keras
