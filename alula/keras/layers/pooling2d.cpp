#include "alula/keras/layers/pooling2d.h"

#include "alula/keras/layers/data_format.h"
#include "alula/ops/avg_pool2d.h"
#include "alula/ops/cast.h"
#include "alula/ops/max_pool2d.h"

namespace alula::keras {
namespace {

template <class Options>
void check_pooling(const char* who, const Options& options) {
  const Size2 size = options.pool_size, strides = options.strides.value_or(size);
  require(size.height > 0 && size.width > 0,
          "{}: pool_size must be positive. Got {}. Write {{.pool_size = 2}}.", who, size);
  require(strides.height > 0 && strides.width > 0, "{}: strides must be positive. Got {}.", who,
          strides);
  check_data_format(who, options.data_format);
}

template <class Options>
Pool2DOptions windows(const Options& options) {
  return {.ksize = options.pool_size,
          .strides = options.strides.value_or(options.pool_size),
          .padding = options.padding};
}

}  // namespace

MaxPooling2DImpl::MaxPooling2DImpl(const MaxPooling2DOptions& options) : LayerWith(options) {
  check_pooling("MaxPooling2D", options);
  set_input_spec({.rank = 4});
}

Tensor MaxPooling2DImpl::call(const Tensor& x) { return max_pool2d(x, windows(options)); }

AveragePooling2DImpl::AveragePooling2DImpl(const AveragePooling2DOptions& options)
    : LayerWith(options) {
  check_pooling("AveragePooling2D", options);
  set_input_spec({.rank = 4});
}

/// A mean of integers is no integer.
Tensor AveragePooling2DImpl::prepare(const Tensor& input) const {
  return cast(input, compute_dtype());
}

Tensor AveragePooling2DImpl::call(const Tensor& x) { return avg_pool2d(x, windows(options)); }

}  // namespace alula::keras
