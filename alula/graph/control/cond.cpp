#include "alula/graph/control/cond.h"

#include "alula/graph/control/branch.h"

namespace alula {

std::vector<Tensor> cond(const Tensor& pred, const std::function<std::vector<Tensor>()>& true_fn,
                         const std::function<std::vector<Tensor>()>& false_fn) {
  require(pred.defined(), "cond: the predicate is not defined yet.");
  require(pred.dtype() == boolean && pred.rank() == 0,
          "cond: the predicate must be a scalar bool. Got {}. Compare it with something, or use "
          "reduce_any() or reduce_all().",
          pred.spec());
  require(true_fn != nullptr && false_fn != nullptr, "cond: there is no function to call.");
  if (pred.is_symbolic()) return graph::trace_branch(pred, true_fn, false_fn);
  return pred.item<bool>() ? true_fn() : false_fn();
}

}  // namespace alula
