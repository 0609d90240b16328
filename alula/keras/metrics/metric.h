#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include "alula/keras/losses/loss.h"
#include "alula/runtime/variable.h"

namespace alula::keras {

/// Whether more of a metric is better, less, or nobody knows.
enum class Direction : uint8_t { kUnknown, kUp, kDown };

/// What a metric keeps and computes. One's own derives from it, adds variables, and is passed on as
/// Metric(std::make_shared<MyMetric>()), or named with `using MyMetric = MetricOf<MyMetricImpl>`.
class MetricImpl {
 public:
  explicit MetricImpl(std::string name) : name_(std::move(name)) {}
  virtual ~MetricImpl() = default;
  MetricImpl(const MetricImpl&) = delete;
  MetricImpl& operator=(const MetricImpl&) = delete;

  /// Takes in a batch. `sample_weight` may be undefined.
  virtual void update_state(const Tensor& y_true, const Tensor& y_pred,
                            const Tensor& sample_weight) = 0;
  /// The metric of all that was taken in since the last reset.
  virtual Tensor result() const = 0;
  /// Starts again: all variables become 0.
  virtual void reset_state();
  virtual Direction direction() const { return Direction::kUnknown; }

  const std::string& name() const { return name_; }
  const std::vector<Variable>& variables() const { return variables_; }

 protected:
  /// A float32 variable of zeros that is part of the metric's state.
  Variable add_variable(const char* name, const Shape& shape = {});

 private:
  std::string name_;
  std::vector<Variable> variables_;
};

/// Something measured over many batches. Copies are the same metric.
///   Metric accuracy = "accuracy";
///   accuracy.update_state({1, 0}, {{0.2f, 0.8f}, {0.3f, 0.7f}});
///   accuracy.result()  ->  0.5
class Metric {
 public:
  /// No metric: `defined()` is false.
  Metric() = default;
  /// By one of Keras's words: "accuracy", "mse", "SparseCategoricalAccuracy", "auc", …
  Metric(const char* word);
  Metric(const std::string& word) : Metric(word.c_str()) {}
  Metric(std::shared_ptr<MetricImpl> impl) : impl_(std::move(impl)) {}
  /// The mean of a loss over the samples, under the loss's name.
  Metric(const Loss& loss);
  /// The mean of what a function gives for the samples.
  template <LossFunction F>
    requires(!std::derived_from<F, Loss> && !std::derived_from<F, Metric>)
  Metric(F function) : Metric(Loss(std::move(function), {.name = "mean_metric_wrapper"})) {}

  bool defined() const { return impl_ != nullptr; }
  const std::string& name() const { return impl().name(); }
  Direction direction() const { return impl().direction(); }
  std::vector<Variable> variables() const { return impl().variables(); }
  MetricImpl& impl() const;

  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) const {
    impl().update_state(y_true, y_pred, sample_weight);
  }
  Tensor result() const { return impl().result(); }
  void reset_state() const { impl().reset_state(); }
  /// Takes in a batch and gives the result so far.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) const {
    update_state(y_true, y_pred, sample_weight);
    return result();
  }

 private:
  std::shared_ptr<MetricImpl> impl_;
};

/// A metric of one kind, made from its options: metrics::BinaryAccuracy({.threshold = 0.3}).
template <class Impl>
class MetricOf : public Metric {
 public:
  using Options = typename Impl::Options;
  MetricOf(const Options& options = {}) : Metric(std::make_shared<Impl>(options)) {}
};

namespace metrics {
using keras::Metric;
}

}  // namespace alula::keras
