#pragma once
#include <functional>

#include "alula/keras/metrics/metric.h"

namespace alula::keras::metrics {

/// Values of one number a sample, and the samples' weights (undefined if all count alike).
struct Samples {
  Tensor values, weights;
};
/// What a reduction does with the dimensions behind the batch's.
enum class Within : uint8_t { kMean, kSum };
/// Values times weights, brought down to one number a sample; the weights likewise. An error naming
/// `who` if they don't fit.
Samples samplewise(const char* who, const Tensor& values, const Tensor& weights, Within within);

/// The mean of all values, each counted by its weight.
class MeanImpl : public MetricImpl {
 public:
  struct Options {
    std::string name = "mean";
  };
  explicit MeanImpl(const Options& options);
  /// Takes in values: the second argument is not used and must be undefined.
  void update_state(const Tensor& values, const Tensor& none, const Tensor& sample_weight) override;
  Tensor result() const override;
  Direction direction() const override { return direction_; }

 protected:
  void add(const Tensor& values, const Tensor& sample_weight);
  void set_direction(Direction direction) { direction_ = direction; }

 private:
  Variable total_, count_;
  Direction direction_ = Direction::kUnknown;
};

/// The sum of all values times their weights.
class SumImpl final : public MetricImpl {
 public:
  struct Options {
    std::string name = "sum";
  };
  explicit SumImpl(const Options& options);
  /// Takes in values: the second argument is not used and must be undefined.
  void update_state(const Tensor& values, const Tensor& none, const Tensor& sample_weight) override;
  Tensor result() const override { return total_; }

 private:
  Variable total_;
};

/// A metric of values alone.
template <class Impl>
class ValuesMetric : public MetricOf<Impl> {
 public:
  using MetricOf<Impl>::MetricOf;
  /// values: [batch, ...] or a single number.
  void update_state(const Tensor& values, const Tensor& sample_weight = {}) const {
    this->impl().update_state(values, {}, sample_weight);
  }
  Tensor operator()(const Tensor& values, const Tensor& sample_weight = {}) const {
    update_state(values, sample_weight);
    return this->result();
  }
};

/// The mean of values.
///   Mean mean;
///   mean.update_state({1.f, 2.f, 6.f});
///   mean.result()  ->  3
using Mean = ValuesMetric<MeanImpl>;
/// The sum of values.
using Sum = ValuesMetric<SumImpl>;

/// The mean over the samples of what a function gives for labels and predictions.
class MeanMetricWrapperImpl : public MeanImpl {
 public:
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;
  struct Options {
    std::string name = "mean_metric_wrapper";
    Direction direction = Direction::kUnknown;
  };
  MeanMetricWrapperImpl(Function function, const Options& options);
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;

 private:
  Function function_;
};

/// The same as an object.
///   MeanMetricWrapper(losses::mean_absolute_error, {.name = "error"})
class MeanMetricWrapper : public Metric {
 public:
  using Options = MeanMetricWrapperImpl::Options;
  MeanMetricWrapper(MeanMetricWrapperImpl::Function function, const Options& options = {})
      : Metric(std::make_shared<MeanMetricWrapperImpl>(std::move(function), options)) {}
};

/// The mean of a function without options, named as Keras names it.
template <Tensor (*kFunction)(const Tensor&, const Tensor&), const char* kName,
          Direction kDirection>
class FunctionMetric final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    std::string name = kName;
  };
  explicit FunctionMetric(const Options& options)
      : MeanMetricWrapperImpl(kFunction, {.name = options.name, .direction = kDirection}) {}
};

}  // namespace alula::keras::metrics
