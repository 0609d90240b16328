#include "alula/keras/losses/sparse_categorical_crossentropy.h"

#include "alula/keras/losses/matching.h"
#include "alula/keras/losses/predictions.h"
#include "alula/ops/cross_entropy.h"
#include "alula/ops/log.h"
#include "alula/ops/operators.h"
#include "alula/ops/where.h"

namespace alula::keras::losses {
namespace {

constexpr const char* kName = "sparse_categorical_crossentropy";

}  // namespace

Tensor sparse_categorical_crossentropy(
    const Tensor& y_true, const Tensor& y_pred,
    const SparseCategoricalCrossentropyFunctionOptions& options) {
  Tensor labels = class_labels(kName, y_true, y_pred);
  check_last_axis(kName, options.axis, y_pred);
  const Predictions predictions =
      predictions_of(kName, y_pred, options.from_logits, Squashed::kSoftmax);
  // The cross-entropy of log p divides by the sum of the clipped p, as Keras does.
  const Tensor logits =
      predictions.are_logits ? predictions.values : log(clipped(predictions.values));
  if (!options.ignore_class.given()) return sparse_softmax_cross_entropy(labels, logits);
  const Tensor counts = labels != options.ignore_class.value();
  labels = where(counts, labels, 0);
  return where(counts, sparse_softmax_cross_entropy(labels, logits), 0);
}

SparseCategoricalCrossentropyImpl::SparseCategoricalCrossentropyImpl(const Options& options)
    : LossImpl({.name = options.name, .reduction = options.reduction}),
      options_{.from_logits = options.from_logits,
               .ignore_class = options.ignore_class,
               .axis = options.axis} {}

Tensor SparseCategoricalCrossentropyImpl::call(const Tensor& y_true, const Tensor& y_pred) const {
  return sparse_categorical_crossentropy(y_true, y_pred, options_);
}

Tensor SparseCategoricalCrossentropyImpl::mask(const Tensor& y_true, const Tensor& y_pred) const {
  if (!options_.ignore_class.given()) return {};
  return class_labels(kName, y_true, y_pred) != options_.ignore_class.value();
}

}  // namespace alula::keras::losses
