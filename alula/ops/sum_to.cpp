#include "alula/ops/sum_to.h"

#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"

namespace alula {

Tensor sum_to(const Tensor& x, const Shape& shape) {
  require(x.defined(), "sum_to: the input is not defined yet.");
  const Shape& from = x.shape();
  if (from == shape) return x;
  const int extra = from.rank() - shape.rank();
  require(extra >= 0, "sum_to: the shape has more dimensions than the input. Got {}, to become {}.",
          x.spec(), shape);
  std::vector<int64_t> axes;
  for (int i = 0; i < from.rank(); ++i) {
    const bool summed = i < extra || (shape[i - extra] == 1 && from[i] != 1);
    require(summed || from[i] == shape[i - extra],
            "sum_to: the shape does not broadcast to the input's. Got {}, to become {}.", x.spec(),
            shape);
    if (summed) axes.push_back(i);
  }
  const Tensor sum = reduce_sum(x, {.axis = axes});
  return sum.shape() == shape ? sum : reshape(sum, shape);
}

}  // namespace alula
