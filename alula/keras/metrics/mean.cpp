#include "alula/keras/metrics/mean.h"

#include "alula/keras/logits.h"
#include "alula/keras/losses/matching.h"
#include "alula/ops/divide_no_nan.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/tile.h"

namespace alula::keras::metrics {
namespace {

/// The dimensions from `first` on, reduced.
Tensor reduce_from(const Tensor& x, int first, Within within) {
  if (x.rank() <= first) return x;
  std::vector<int64_t> axes;
  for (int axis = first; axis < x.rank(); ++axis) axes.push_back(axis);
  return within == Within::kMean ? reduce_mean(x, {.axis = axes}) : reduce_sum(x, {.axis = axes});
}

Tensor sum_of(const Tensor& x) { return x.rank() == 0 ? x : reduce_sum(x); }

void check_values(const MetricImpl& metric, const Tensor& values, const Tensor& none) {
  require(values.defined(), "{}: the values are not defined yet.", metric.name());
  require(!none.defined(), "{}: takes values, not labels and predictions.", metric.name());
}

}  // namespace

Samples samplewise(const char* who, const Tensor& given, const Tensor& given_weights,
                   Within within) {
  Tensor values = as_float(given), weights;
  if (given_weights.defined()) {
    Pair pair = of_same_rank(values, as_float(given_weights));
    const int rank = pair.second.rank();
    values = reduce_from(pair.first, rank, within);
    Pair product = weighted(who, values, pair.second);
    weights = product.second;
    if (weights.shape() != product.first.shape())
      weights = broadcast_to(weights, product.first.shape());
    values = product.first;
    weights = reduce_from(weights, 1, within);
  }
  return {reduce_from(values, 1, within), weights};
}

MeanImpl::MeanImpl(const Options& options)
    : MetricImpl(options.name), total_(add_variable("total")), count_(add_variable("count")) {}

void MeanImpl::update_state(const Tensor& values, const Tensor& none, const Tensor& sample_weight) {
  check_values(*this, values, none);
  add(values, sample_weight);
}

void MeanImpl::add(const Tensor& values, const Tensor& sample_weight) {
  const Samples samples = samplewise(name().c_str(), values, sample_weight, Within::kMean);
  const Tensor sum = sum_of(samples.values);
  const auto number = samples.values.rank() == 0 ? 1 : samples.values.shape().front();
  const Tensor count =
      samples.weights.defined() ? sum_of(samples.weights) : Tensor(static_cast<float>(number));
  total_.assign_add(sum);
  count_.assign_add(count);
}

Tensor MeanImpl::result() const { return divide_no_nan(total_.value(), count_.value()); }

SumImpl::SumImpl(const Options& options)
    : MetricImpl(options.name), total_(add_variable("total")) {}

void SumImpl::update_state(const Tensor& values, const Tensor& none, const Tensor& sample_weight) {
  check_values(*this, values, none);
  const Samples samples = samplewise(name().c_str(), values, sample_weight, Within::kSum);
  total_.assign_add(sum_of(samples.values));
}

MeanMetricWrapperImpl::MeanMetricWrapperImpl(Function function, const Options& options)
    : MeanImpl({.name = options.name}), function_(std::move(function)) {
  set_direction(options.direction);
}

void MeanMetricWrapperImpl::update_state(const Tensor& y_true, const Tensor& y_pred,
                                         const Tensor& sample_weight) {
  check_defined(name().c_str(), y_true, y_pred);
  add(function_(at_least_single(y_true), at_least_single(y_pred)), sample_weight);
}

}  // namespace alula::keras::metrics
