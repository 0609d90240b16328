#pragma once
#include "alula/keras/losses/losses.h"
#include "alula/keras/metrics/mean.h"

/// The losses as metrics: their mean over all samples.
namespace alula::keras::metrics {

inline constexpr char kLogCoshError[] = "logcosh";

/// How far numbers are off, by the functions of keras::losses.
using MeanSquaredError = MetricOf<
    FunctionMetric<losses::mean_squared_error, losses::kMeanSquaredError, Direction::kDown>>;
using MeanAbsoluteError = MetricOf<
    FunctionMetric<losses::mean_absolute_error, losses::kMeanAbsoluteError, Direction::kDown>>;
using MeanAbsolutePercentageError =
    MetricOf<FunctionMetric<losses::mean_absolute_percentage_error,
                            losses::kMeanAbsolutePercentageError, Direction::kDown>>;
using MeanSquaredLogarithmicError =
    MetricOf<FunctionMetric<losses::mean_squared_logarithmic_error,
                            losses::kMeanSquaredLogarithmicError, Direction::kDown>>;
using LogCoshError = MetricOf<FunctionMetric<losses::log_cosh, kLogCoshError, Direction::kDown>>;
using Hinge = MetricOf<FunctionMetric<losses::hinge, losses::kHinge, Direction::kDown>>;
using SquaredHinge =
    MetricOf<FunctionMetric<losses::squared_hinge, losses::kSquaredHinge, Direction::kDown>>;
using CategoricalHinge = MetricOf<
    FunctionMetric<losses::categorical_hinge, losses::kCategoricalHinge, Direction::kDown>>;
using KLDivergence =
    MetricOf<FunctionMetric<losses::kl_divergence, losses::kKLDivergence, Direction::kDown>>;
using Poisson = MetricOf<FunctionMetric<losses::poisson, losses::kPoisson, Direction::kDown>>;

/// sqrt(mean((y_true - y_pred)^2))
class RootMeanSquaredErrorImpl final : public MeanImpl {
 public:
  struct Options {
    std::string name = "root_mean_squared_error";
  };
  explicit RootMeanSquaredErrorImpl(const Options& options);
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;
  Tensor result() const override;
};
using RootMeanSquaredError = MetricOf<RootMeanSquaredErrorImpl>;

/// The cosine of the angle between y_true and y_pred: 1 where they point the same way. (The loss of
/// this name has the other sign.)
class CosineSimilarityImpl final : public MeanMetricWrapperImpl {
 public:
  struct Options {
    std::string name = "cosine_similarity";
    int64_t axis = -1;
  };
  explicit CosineSimilarityImpl(const Options& options);
};
using CosineSimilarity = MetricOf<CosineSimilarityImpl>;

}  // namespace alula::keras::metrics
