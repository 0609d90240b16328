#include "alula/keras/losses/binary_crossentropy.h"

#include "alula/keras/losses/matching.h"
#include "alula/keras/losses/predictions.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/log.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"

namespace alula::keras::losses {
namespace {

constexpr const char* kName = "binary_crossentropy";

/// max(x, 0) - x y + log(1 + exp(-|x|)). The choices are by the sign alone, so that the derivative
/// is right at 0, too.
Scalar sigmoid_cross_entropy(Scalar x, Scalar y) {
  const Scalar positive = x >= 0;
  return scalar::select(positive, x, 0) - x * y + log1p(exp(scalar::select(positive, -x, x)));
}
constinit const Elementwise kFromLogits{"sigmoid_cross_entropy", &sigmoid_cross_entropy, kFloating};

}  // namespace

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           const BinaryCrossentropyFunctionOptions& options) {
  auto [y, p] = matched_exactly(kName, y_true, y_pred);
  check_smoothing(kName, options.label_smoothing);
  if (options.label_smoothing > 0)
    y = y * (1 - options.label_smoothing) + options.label_smoothing / 2;
  const Predictions from = predictions_of(kName, p, options.from_logits, Squashed::kSigmoid);
  Tensor losses;
  if (from.are_logits) {
    losses = kFromLogits(from.values, y);
  } else {
    const Tensor q = clipped(from.values);
    losses = -(y * log(q) + (1 - y) * log(1 - q));
  }
  return losses.rank() == 0 ? losses : reduce_mean(losses, {.axis = options.axis});
}

BinaryCrossentropyImpl::BinaryCrossentropyImpl(const Options& options)
    : LossImpl({.name = options.name, .reduction = options.reduction}),
      options_{.from_logits = options.from_logits,
               .label_smoothing = options.label_smoothing,
               .axis = options.axis} {
  check_smoothing(options.name.c_str(), options.label_smoothing);
}

Tensor BinaryCrossentropyImpl::call(const Tensor& y_true, const Tensor& y_pred) const {
  return binary_crossentropy(y_true, y_pred, options_);
}

}  // namespace alula::keras::losses
