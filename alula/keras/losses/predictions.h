#pragma once
#include "alula/keras/logits.h"

namespace alula::keras {

/// Predictions as a cross-entropy takes them: the logits, where it has or remembers them.
struct Predictions {
  Tensor values;
  bool are_logits = false;
};

/// The logits behind probabilities of this kind where they remember them, in float32; else
/// `y_pred`. A loss that was told that y_pred are logits when they are not is warned about, once.
Predictions predictions_of(const char* who, const Tensor& y_pred, bool from_logits, Squashed kind);

/// Probabilities kept away from 0 and 1, where the logarithm is infinite.
Tensor clipped(const Tensor& probabilities);

/// An error naming `who` unless this can be a label_smoothing.
void check_smoothing(const char* who, double smoothing);

}  // namespace alula::keras
