#pragma once
#include "alula/keras/metrics/mean.h"

/// How often predictions are right. The functions give 1 or 0 for each prediction, in float32.
namespace alula::keras::metrics {

/// Whether labels and predictions are equal.
///   accuracy({1, 2}, {1, 3})  ->  {1, 0}
Tensor accuracy(const Tensor& y_true, const Tensor& y_pred);

struct BinaryAccuracyFunctionOptions {
  double threshold = 0.5;  // predictions above it count as 1
};
/// Whether predictions are on the right side of the threshold.
///   binary_accuracy({{1.f}, {0.f}}, {{0.7f}, {0.6f}})  ->  {{1}, {0}}
Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred,
                       const BinaryAccuracyFunctionOptions& options = {});

/// Whether the largest prediction is that of the label's class; of equal ones the first counts.
/// One-hot labels [..., classes].
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// The same for labels that are numbers of classes, [...] or [..., 1].
///   sparse_categorical_accuracy({1, 0}, {{0.2f, 0.8f}, {0.3f, 0.7f}})  ->  {1, 0}
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);

struct TopKFunctionOptions {
  int64_t k = 5;
};
/// Whether the label's class is among the k with the largest predictions; ties count. One-hot
/// labels.
Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                  const TopKFunctionOptions& options = {});
/// The same for labels that are numbers of classes.
Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                         const TopKFunctionOptions& options = {});

inline constexpr char kAccuracy[] = "accuracy";
inline constexpr char kCategoricalAccuracy[] = "categorical_accuracy";
inline constexpr char kSparseCategoricalAccuracy[] = "sparse_categorical_accuracy";

/// The share of predictions that are right, by the rules above.
using Accuracy = MetricOf<FunctionMetric<accuracy, kAccuracy, Direction::kUp>>;
using CategoricalAccuracy =
    MetricOf<FunctionMetric<categorical_accuracy, kCategoricalAccuracy, Direction::kUp>>;
using SparseCategoricalAccuracy = MetricOf<
    FunctionMetric<sparse_categorical_accuracy, kSparseCategoricalAccuracy, Direction::kUp>>;

class BinaryAccuracyImpl final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    std::string name = "binary_accuracy";
    double threshold = 0.5;
  };
  explicit BinaryAccuracyImpl(const Options& options);
};
using BinaryAccuracy = MetricOf<BinaryAccuracyImpl>;

class TopKCategoricalAccuracyImpl final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    int64_t k = 5;
    std::string name = "top_k_categorical_accuracy";
  };
  explicit TopKCategoricalAccuracyImpl(const Options& options);
};
using TopKCategoricalAccuracy = MetricOf<TopKCategoricalAccuracyImpl>;

class SparseTopKCategoricalAccuracyImpl final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    int64_t k = 5;
    std::string name = "sparse_top_k_categorical_accuracy";
  };
  explicit SparseTopKCategoricalAccuracyImpl(const Options& options);
};
using SparseTopKCategoricalAccuracy = MetricOf<SparseTopKCategoricalAccuracyImpl>;

/// What the word "accuracy" means: one of binary, categorical and sparse, by the shapes of the
/// first batch.
class ChosenAccuracyImpl final : public MeanImpl {
 public:
  explicit ChosenAccuracyImpl(const std::string& name);
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;

 private:
  Tensor (*function_)(const Tensor&, const Tensor&) = nullptr;
};

}  // namespace alula::keras::metrics
