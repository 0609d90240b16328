#include "alula/keras/layers/permute.h"

#include <algorithm>

#include "alula/ops/transpose.h"

namespace alula::keras {

PermuteImpl::PermuteImpl(const PermuteOptions& options) : LayerWith(options) {
  std::vector<int64_t> sorted = options.dims;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i)
    require(sorted[i] == static_cast<int64_t>(i) + 1,
            "Permute: dims must be the numbers from 1 to {}, each once; the batch, 0, stays where "
            "it is. Got {}.",
            sorted.size(), fmt::join(options.dims, ", "));
  set_input_spec({.rank = static_cast<int>(options.dims.size()) + 1});
}

Tensor PermuteImpl::call(const Tensor& x) {
  std::vector<int64_t> order = {0};
  order.insert(order.end(), options.dims.begin(), options.dims.end());
  return transpose(x, order);
}

}  // namespace alula::keras
