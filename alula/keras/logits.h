#pragma once
#include "alula/core/tensor.h"

/// The memory of what went into a softmax or a sigmoid. A cross-entropy of probabilities that come
/// straight from one of them is computed from there: exact where a probability is 0 or 1, and with
/// fewer ops.
namespace alula::keras {

/// What made probabilities of logits.
enum class Squashed : uint8_t { kSoftmax, kSigmoid };

/// `probabilities`, which remember that they were made from `logits`. The tensor must be the
/// caller's own, not yet handed on.
///   return remember_logits(softmax(x), x, Squashed::kSoftmax);
Tensor remember_logits(Tensor probabilities, const Tensor& logits, Squashed kind);

/// The logits that probabilities remember; undefined if there are none of this kind.
Tensor logits_behind(const Tensor& probabilities, Squashed kind);

/// The same in float32 if it is of 16 bits, and it remembers what it did before.
Tensor at_least_single(const Tensor& x);

}  // namespace alula::keras
