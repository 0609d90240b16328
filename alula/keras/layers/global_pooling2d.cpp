#include "alula/keras/layers/global_pooling2d.h"

#include "alula/keras/layers/data_format.h"
#include "alula/ops/cast.h"
#include "alula/ops/reduce.h"

namespace alula::keras {
namespace {

ReduceOptions over_space(const GlobalPooling2DOptions& options) {
  return {.axis = {1, 2}, .keepdims = options.keepdims};
}

}  // namespace

GlobalAveragePooling2DImpl::GlobalAveragePooling2DImpl(const GlobalPooling2DOptions& options)
    : LayerWith(options) {
  check_data_format("GlobalAveragePooling2D", options.data_format);
  set_input_spec({.rank = 4});
}

/// A mean of integers is no integer.
Tensor GlobalAveragePooling2DImpl::prepare(const Tensor& input) const {
  return cast(input, compute_dtype());
}

Tensor GlobalAveragePooling2DImpl::call(const Tensor& x) {
  return reduce_mean(x, over_space(options));
}

GlobalMaxPooling2DImpl::GlobalMaxPooling2DImpl(const GlobalPooling2DOptions& options)
    : LayerWith(options) {
  check_data_format("GlobalMaxPooling2D", options.data_format);
  set_input_spec({.rank = 4});
}

Tensor GlobalMaxPooling2DImpl::call(const Tensor& x) { return reduce_max(x, over_space(options)); }

}  // namespace alula::keras
