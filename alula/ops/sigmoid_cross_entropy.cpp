#include "alula/ops/sigmoid_cross_entropy.h"

#include "alula/ops/abs.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/softplus.h"
#include "alula/ops/square.h"

namespace alula {
namespace {

void check(const char* who, const Tensor& labels, const Tensor& logits) {
  require(labels.defined() && logits.defined(), "{}: an input is not defined yet.", who);
  require(compatible(labels.shape(), logits.shape()),
          "{}: labels and logits must have the same shape. Got {} and {}.", who, labels.spec(),
          logits.spec());
}

}  // namespace

// log(1 + exp(x)) - x * label: softplus neither overflows nor loses small values.
Tensor sigmoid_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits) {
  check("sigmoid_cross_entropy_with_logits", labels, logits);
  return softplus(logits) - logits * labels;
}

Tensor weighted_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits,
                                          const Tensor& pos_weight) {
  check("weighted_cross_entropy_with_logits", labels, logits);
  const Tensor weight = (pos_weight - 1) * labels + 1;
  return (1 - labels) * logits + weight * softplus(-logits);
}

Tensor l2_loss(const Tensor& x) { return reduce_sum(square(x)) * 0.5; }

}  // namespace alula
