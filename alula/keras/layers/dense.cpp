#include "alula/keras/layers/dense.h"

#include "alula/ops/bias_add.h"
#include "alula/ops/cast.h"
#include "alula/ops/matmul.h"
#include "alula/ops/reshape.h"

namespace alula::keras {

DenseImpl::DenseImpl(const DenseOptions& options) : LayerWith(options) {
  require(options.units > 0, "Dense: units must be positive. Got {}. Write {{.units = 10}}.",
          options.units);
  set_input_spec({.min_rank = 2});
}

void DenseImpl::build(const Shape& input) {
  kernel = add_weight({.name = "kernel",
                       .shape = {input.back(), options.units},
                       .initializer = options.kernel_initializer,
                       .regularizer = options.kernel_regularizer});
  if (options.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = {options.units},
                       .initializer = options.bias_initializer,
                       .regularizer = options.bias_regularizer});
  set_input_spec({.min_rank = 2, .channels = input.back()});
}

Tensor DenseImpl::prepare(const Tensor& input) const { return cast(input, compute_dtype()); }

Tensor DenseImpl::call(const Tensor& x) {
  Tensor y = matmul(x, kernel);
  if (options.use_bias) y = bias_add(y, bias);
  return options.activation(y);
}

}  // namespace alula::keras
