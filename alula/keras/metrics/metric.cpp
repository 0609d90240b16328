#include "alula/keras/metrics/metric.h"

#include "alula/keras/metrics/mean.h"
#include "alula/ops/fill.h"

namespace alula::keras {

void MetricImpl::reset_state() {
  for (Variable& variable : variables_) variable.assign(zeros(variable.shape(), variable.dtype()));
}

Variable MetricImpl::add_variable(const char* name, const Shape& shape) {
  variables_.emplace_back(zeros(shape), VariableOptions{.trainable = false, .name = name});
  return variables_.back();
}

MetricImpl& Metric::impl() const {
  require<FailedPreconditionError>(defined(), "metric: no metric is set.");
  return *impl_;
}

Metric::Metric(const Loss& loss) {
  require(loss.defined(), "metric: the loss that it would be the mean of is not set.");
  impl_ = std::make_shared<metrics::MeanMetricWrapperImpl>(
      [loss](const Tensor& y_true, const Tensor& y_pred) {
        return loss.impl().call(y_true, y_pred);
      },
      metrics::MeanMetricWrapperImpl::Options{.name = loss.name(), .direction = Direction::kDown});
}

}  // namespace alula::keras
