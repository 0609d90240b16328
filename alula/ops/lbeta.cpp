#include "alula/ops/lbeta.h"

#include "alula/ops/lgamma.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"

namespace alula {

Tensor lbeta(const Tensor& x) {
  require(x.defined() && x.rank() >= 1, "lbeta: takes vectors [..., n]. Got {}.",
          x.defined() ? x.spec() : Spec());
  return reduce_sum(lgamma(x), {.axis = -1}) - lgamma(reduce_sum(x, {.axis = -1}));
}

}  // namespace alula
