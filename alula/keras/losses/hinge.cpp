#include "alula/keras/losses/hinge.h"

#include "alula/keras/losses/matching.h"
#include "alula/ops/maximum.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/square.h"
#include "alula/ops/where.h"

namespace alula::keras::losses {
namespace {

/// Labels of 0 and 1 as -1 and 1, if there are no others.
Tensor signs_of(const Tensor& y) {
  const Tensor bits = reduce_all(y == 0 || y == 1);
  return where(bits, y * 2 - 1, y);
}

Tensor margins(const char* who, const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(who, y_true, y_pred);
  return maximum(1 - signs_of(y) * p, 0);
}

Tensor mean_of_last(const Tensor& x) { return x.rank() == 0 ? x : reduce_mean(x, {.axis = -1}); }

}  // namespace

Tensor hinge(const Tensor& y_true, const Tensor& y_pred) {
  return mean_of_last(margins(kHinge, y_true, y_pred));
}

Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred) {
  return mean_of_last(square(margins(kSquaredHinge, y_true, y_pred)));
}

Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kCategoricalHinge, y_true, y_pred);
  require(p.rank() >= 1, "{}: the predictions must be [..., classes]. Got {}.", kCategoricalHinge,
          p.spec());
  const Tensor right = reduce_sum(y * p, {.axis = -1});
  const Tensor wrong = reduce_max((1 - y) * p, {.axis = -1});
  return maximum(wrong - right + 1, 0);
}

}  // namespace alula::keras::losses
