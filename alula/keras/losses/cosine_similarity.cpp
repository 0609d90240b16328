#include "alula/keras/losses/cosine_similarity.h"

#include "alula/keras/losses/matching.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/statistics.h"

namespace alula::keras::losses {

Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred,
                         const CosineSimilarityFunctionOptions& options) {
  const char* who = "cosine_similarity";
  const auto [y, p] = matched(who, y_true, y_pred);
  require(p.rank() >= 1, "{}: takes vectors. Got labels {}, predictions {}.", who, y_true.spec(),
          y_pred.spec());
  const Axes axis = options.axis;
  return -reduce_sum(l2_normalize(y, {.axis = axis}) * l2_normalize(p, {.axis = axis}),
                     {.axis = axis});
}

}  // namespace alula::keras::losses
