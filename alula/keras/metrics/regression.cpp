#include "alula/keras/metrics/regression.h"

#include "alula/keras/losses/matching.h"
#include "alula/ops/operators.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/squared_difference.h"

namespace alula::keras::metrics {

RootMeanSquaredErrorImpl::RootMeanSquaredErrorImpl(const Options& options)
    : MeanImpl({.name = options.name}) {
  set_direction(Direction::kDown);
}

void RootMeanSquaredErrorImpl::update_state(const Tensor& y_true, const Tensor& y_pred,
                                            const Tensor& sample_weight) {
  const auto [y, p] = matched(name().c_str(), y_true, y_pred);
  add(squared_difference(p, y), sample_weight);
}

Tensor RootMeanSquaredErrorImpl::result() const { return sqrt(MeanImpl::result()); }

CosineSimilarityImpl::CosineSimilarityImpl(const Options& options)
    : MeanMetricWrapperImpl(
          [axis = options.axis](const Tensor& y_true, const Tensor& y_pred) {
            return -losses::cosine_similarity(y_true, y_pred, {.axis = axis});
          },
          {.name = options.name, .direction = Direction::kUp}) {}

}  // namespace alula::keras::metrics
