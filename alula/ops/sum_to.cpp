#include "alula/ops/sum_to.h"

#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"

namespace alula {

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int extra = x.rank() - shape.rank();
  require(extra >= 0, "sum_to: {} is no broadcast of {}.", x.spec(), shape);
  std::vector<int64_t> repeated;
  for (int i = 0; i < x.rank(); ++i) {
    const bool same = i >= extra && shape[i - extra] == x.shape()[i];
    require(same || i < extra || shape[i - extra] == 1, "sum_to: {} is no broadcast of {}.",
            x.spec(), shape);
    if (!same) repeated.push_back(i);
  }
  return reshape(reduce_sum(x, {.axis = repeated}), shape);
}

}  // namespace alula
