#pragma once
#include "alula/keras/losses/loss.h"

/// Losses of predicted numbers. y_true and y_pred: [batch, ..., n], of equal shapes ([n] fits
/// [n, 1]); the functions take the mean over the last axis, in float32.
namespace alula::keras::losses {

/// mean((y_true - y_pred)^2)
///   mean_squared_error({{1.f, 2.f}}, {{1.f, 4.f}})  ->  {2}
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred);

/// mean(|y_true - y_pred|)
Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred);

/// 100 * mean(|(y_true - y_pred) / y_true|), where a y_true near 0 counts as 1e-7
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred);

/// mean((log(y_true + 1) - log(y_pred + 1))^2), where numbers below 1e-7 count as that
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred);

/// mean(log(cosh(y_pred - y_true))): like the squared error near 0, like the absolute one beyond.
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred);

struct HuberFunctionOptions {
  double delta = 1.0;  // from here on the loss is linear
};
/// mean of e^2 / 2 where |e| <= delta, else delta |e| - delta^2 / 2, of e = y_pred - y_true
Tensor huber(const Tensor& y_true, const Tensor& y_pred, const HuberFunctionOptions& options = {});

inline constexpr char kMeanSquaredError[] = "mean_squared_error";
inline constexpr char kMeanAbsoluteError[] = "mean_absolute_error";
inline constexpr char kMeanAbsolutePercentageError[] = "mean_absolute_percentage_error";
inline constexpr char kMeanSquaredLogarithmicError[] = "mean_squared_logarithmic_error";
inline constexpr char kLogCosh[] = "log_cosh";

/// These as objects: MeanSquaredError({.reduction = "sum"}).
using MeanSquaredError = LossOf<PlainLoss<mean_squared_error, kMeanSquaredError>>;
using MeanAbsoluteError = LossOf<PlainLoss<mean_absolute_error, kMeanAbsoluteError>>;
using MeanAbsolutePercentageError =
    LossOf<PlainLoss<mean_absolute_percentage_error, kMeanAbsolutePercentageError>>;
using MeanSquaredLogarithmicError =
    LossOf<PlainLoss<mean_squared_logarithmic_error, kMeanSquaredLogarithmicError>>;
using LogCosh = LossOf<PlainLoss<log_cosh, kLogCosh>>;

class HuberImpl final : public LossImpl {
 public:
  struct Options {
    double delta = 1.0;
    Reduction reduction = "sum_over_batch_size";
    std::string name = "huber_loss";
  };
  explicit HuberImpl(const Options& options);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  double delta_;
};
/// The Huber loss as an object: Huber({.delta = 0.5}).
using Huber = LossOf<HuberImpl>;

}  // namespace alula::keras::losses
