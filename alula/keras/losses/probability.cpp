#include "alula/keras/losses/probability.h"

#include "alula/keras/losses/matching.h"
#include "alula/ops/clip.h"
#include "alula/ops/log.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"

namespace alula::keras::losses {

Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kKLDivergence, y_true, y_pred);
  const Tensor from = clip(y, kEpsilon, 1), to = clip(p, kEpsilon, 1);
  const Tensor terms = from * log(from / to);
  return terms.rank() == 0 ? terms : reduce_sum(terms, {.axis = -1});
}

Tensor poisson(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kPoisson, y_true, y_pred);
  const Tensor terms = p - y * log(p + kEpsilon);
  return terms.rank() == 0 ? terms : reduce_mean(terms, {.axis = -1});
}

}  // namespace alula::keras::losses
