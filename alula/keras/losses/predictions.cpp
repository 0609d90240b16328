#include "alula/keras/losses/predictions.h"

#include <atomic>

#include "alula/core/log.h"
#include "alula/keras/losses/matching.h"
#include "alula/ops/clip.h"

namespace alula::keras {

Predictions predictions_of(const char* who, const Tensor& y_pred, bool from_logits, Squashed kind) {
  const Tensor logits = logits_behind(y_pred, kind);
  if (!logits.defined()) return {as_float(y_pred), from_logits};
  static std::atomic<bool> warned = false;
  if (from_logits && !warned.exchange(true))
    logging::warn(
        "{}: from_logits is set, but the predictions come from a {} and are probabilities. What "
        "went into it is used. Leave from_logits out, or drop the activation.",
        who, kind == Squashed::kSoftmax ? "softmax" : "sigmoid");
  return {as_float(logits), true};
}

Tensor clipped(const Tensor& probabilities) { return clip(probabilities, kEpsilon, 1 - kEpsilon); }

void check_smoothing(const char* who, double smoothing) {
  require(smoothing >= 0 && smoothing <= 1, "{}: label_smoothing must be in [0, 1]. Got {}.", who,
          smoothing);
}

}  // namespace alula::keras
