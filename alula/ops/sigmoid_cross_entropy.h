#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// The loss of each logit against a probability, elementwise:
/// -labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), without overflow.
/// Floating types; both of the same shape.
///   sigmoid_cross_entropy_with_logits({1.f}, {0.f})  ->  {0.6931472}
Tensor sigmoid_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits);
/// The same with the first term times `pos_weight`.
Tensor weighted_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits,
                                          const Tensor& pos_weight);
/// Half of the sum of the squares. Floating types.
///   l2_loss({3.f, 4.f})  ->  12.5
Tensor l2_loss(const Tensor& x);

}  // namespace alula
