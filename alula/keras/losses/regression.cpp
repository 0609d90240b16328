#include "alula/keras/losses/regression.h"

#include <cmath>

#include "alula/keras/losses/matching.h"
#include "alula/ops/abs.h"
#include "alula/ops/log.h"
#include "alula/ops/maximum.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/softplus.h"
#include "alula/ops/square.h"
#include "alula/ops/squared_difference.h"
#include "alula/ops/where.h"

namespace alula::keras::losses {
namespace {

/// The mean over the last axis; a single number is its own.
Tensor mean_of_last(const Tensor& x) { return x.rank() == 0 ? x : reduce_mean(x, {.axis = -1}); }

}  // namespace

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kMeanSquaredError, y_true, y_pred);
  return mean_of_last(squared_difference(p, y));
}

Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kMeanAbsoluteError, y_true, y_pred);
  return mean_of_last(abs(y - p));
}

Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kMeanAbsolutePercentageError, y_true, y_pred);
  return mean_of_last(abs((y - p) / maximum(abs(y), kEpsilon))) * 100;
}

Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kMeanSquaredLogarithmicError, y_true, y_pred);
  const Tensor log_p = log(maximum(p, kEpsilon) + 1), log_y = log(maximum(y, kEpsilon) + 1);
  return mean_of_last(squared_difference(log_p, log_y));
}

Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kLogCosh, y_true, y_pred);
  const Tensor error = p - y;
  return mean_of_last(error + softplus(error * -2) - std::log(2.0));
}

Tensor huber(const Tensor& y_true, const Tensor& y_pred, const HuberFunctionOptions& options) {
  const double delta = options.delta;
  const auto [y, p] = matched("huber", y_true, y_pred);
  const Tensor error = p - y;
  const Tensor size = abs(error);
  return mean_of_last(
      where(size <= delta, square(error) * 0.5, size * delta - 0.5 * delta * delta));
}

HuberImpl::HuberImpl(const Options& options)
    : LossImpl({.name = options.name, .reduction = options.reduction}), delta_(options.delta) {
  require(delta_ > 0, "{}: delta must be greater than 0. Got {}.", options.name, delta_);
}

Tensor HuberImpl::call(const Tensor& y_true, const Tensor& y_pred) const {
  return huber(y_true, y_pred, {.delta = delta_});
}

}  // namespace alula::keras::losses
