#include "alula/keras/losses/categorical_crossentropy.h"

#include "alula/keras/losses/matching.h"
#include "alula/keras/losses/predictions.h"
#include "alula/ops/cross_entropy.h"
#include "alula/ops/log.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"

namespace alula::keras::losses {
namespace {

constexpr const char* kName = "categorical_crossentropy";

}  // namespace

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                const CategoricalCrossentropyFunctionOptions& options) {
  auto [y, p] = matched_exactly(kName, y_true, y_pred);
  require(p.rank() >= 1, "{}: the predictions must be [..., classes]. Got {}.", kName, p.spec());
  check_last_axis(kName, options.axis, p);
  check_smoothing(kName, options.label_smoothing);
  if (options.label_smoothing > 0) {
    const auto classes = static_cast<double>(p.shape().back());
    y = y * (1 - options.label_smoothing) + options.label_smoothing / classes;
  }
  const Predictions predictions = predictions_of(kName, p, options.from_logits, Squashed::kSoftmax);
  if (predictions.are_logits) return softmax_cross_entropy(y, predictions.values);
  const Tensor share = p / reduce_sum(p, {.axis = -1, .keepdims = true});
  return -reduce_sum(y * log(clipped(share)), {.axis = -1});
}

CategoricalCrossentropyImpl::CategoricalCrossentropyImpl(const Options& options)
    : LossImpl({.name = options.name, .reduction = options.reduction}),
      options_{.from_logits = options.from_logits,
               .label_smoothing = options.label_smoothing,
               .axis = options.axis} {
  check_smoothing(options.name.c_str(), options.label_smoothing);
}

Tensor CategoricalCrossentropyImpl::call(const Tensor& y_true, const Tensor& y_pred) const {
  return categorical_crossentropy(y_true, y_pred, options_);
}

}  // namespace alula::keras::losses
