#include "alula/keras/layers/reshape.h"

#include <algorithm>

#include "alula/ops/reshape.h"

namespace alula::keras {

ReshapeImpl::ReshapeImpl(const ReshapeOptions& options) : LayerWith(options) {
  const Shape& target = options.target_shape;
  require(std::count(target.begin(), target.end(), -1) <= 1,
          "Reshape: only one dimension of target_shape may be -1. Got {}.", target);
  set_input_spec({.min_rank = 1});
}

Tensor ReshapeImpl::call(const Tensor& x) {
  const Shape example = x.shape().slice(1, x.rank());
  Shape target = options.target_shape;
  const auto open = std::find(target.begin(), target.end(), -1);
  // The batch may be unknown or empty, so what -1 stands for is found from one example.
  if (example.is_known()) {
    const int64_t size = example.checked_size("Reshape");
    const auto axis = static_cast<int>(open - target.begin());
    const bool has_open = open != target.end();
    const int64_t rest = (has_open ? target.with(axis, 1) : target).checked_size("Reshape");
    require(has_open ? rest != 0 && size % rest == 0 : size == rest,
            "Reshape: an example of {} elements does not fit target_shape {}. Got {}.", size,
            options.target_shape, x.spec());
    if (has_open) target[axis] = size / rest;
  }
  return reshape(x, target.with_inserted(0, x.shape()[0]));
}

}  // namespace alula::keras
