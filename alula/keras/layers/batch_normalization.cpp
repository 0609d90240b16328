#include "alula/keras/layers/batch_normalization.h"

#include "alula/ops/batch_norm.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/lerp.h"
#include "alula/ops/mul_add.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"
#include "alula/ops/rsqrt.h"

namespace alula::keras {
namespace {

/// 16 bits are too few for statistics.
DType at_least_float32(DType dtype) { return is_half(dtype) ? float32 : dtype; }

}  // namespace

BatchNormalizationImpl::BatchNormalizationImpl(const BatchNormalizationOptions& options)
    : LayerWith(options) {
  require(options.epsilon > 0, "BatchNormalization: epsilon must be positive. Got {}.",
          options.epsilon);
  require(options.momentum >= 0 && options.momentum <= 1,
          "BatchNormalization: the momentum is a number from 0 to 1. Got {}.", options.momentum);
  set_autocast(Autocast::kNo);
  set_input_spec({.min_rank = 1});
}

void BatchNormalizationImpl::build(const Shape& input) {
  const int axis = normalize_axis("BatchNormalization", options.axis, input.rank());
  const Shape channels{input[axis]};
  const DType kept = at_least_float32(variable_dtype());
  if (options.scale)
    gamma = add_weight({.name = "gamma",
                        .shape = channels,
                        .initializer = options.gamma_initializer,
                        .regularizer = options.gamma_regularizer,
                        .dtype = kept});
  else
    ones_ = ones(channels, kept);
  if (options.center)
    beta = add_weight({.name = "beta",
                       .shape = channels,
                       .initializer = options.beta_initializer,
                       .regularizer = options.beta_regularizer,
                       .dtype = kept});
  else
    zeros_ = zeros(channels, kept);
  moving_mean = add_weight({.name = "moving_mean",
                            .shape = channels,
                            .initializer = options.moving_mean_initializer,
                            .trainable = false,
                            .dtype = kept});
  moving_variance = add_weight({.name = "moving_variance",
                                .shape = channels,
                                .initializer = options.moving_variance_initializer,
                                .trainable = false,
                                .dtype = kept});
  InputSpec spec{.rank = input.rank()};
  if (axis == input.rank() - 1) spec.channels = input[axis];
  set_input_spec(spec);
}

Tensor BatchNormalizationImpl::prepare(const Tensor& input) const {
  return cast(input, compute_dtype());
}

Tensor BatchNormalizationImpl::scale_or_ones() const {
  return options.scale ? gamma.value() : ones_;
}

Tensor BatchNormalizationImpl::center_or_zeros() const {
  return options.center ? beta.value() : zeros_;
}

Tensor BatchNormalizationImpl::call(const Tensor& x) {
  return training() && trainable() ? by_batch(x) : by_moving_averages(x);
}

Tensor BatchNormalizationImpl::by_batch(const Tensor& x) {
  const BatchNormResult result = batch_norm(x, scale_or_ones(), center_or_zeros(),
                                            {.axis = options.axis, .epsilon = options.epsilon});
  // An empty batch has no statistics, and what is only described yet has none either.
  if (!is_only_described(x) && x.size() > 0) {
    assign_lerp(moving_mean, result.mean, 1 - options.momentum);
    assign_lerp(moving_variance, result.variance, 1 - options.momentum);
  }
  return result.y;
}

Tensor BatchNormalizationImpl::by_moving_averages(const Tensor& x) const {
  const Tensor factor = scale_or_ones() * rsqrt(moving_variance.value() + options.epsilon);
  const Tensor shift = center_or_zeros() - moving_mean.value() * factor;
  const int axis = normalize_axis("BatchNormalization", options.axis, x.rank());
  const Tensor wide = cast(x, factor.dtype());
  if (axis == x.rank() - 1) return cast(mul_add(wide, factor, shift), x.dtype());
  Shape shape;  // [channels, 1, ...], to stand beside the inner dimensions
  for (int i = axis; i < x.rank(); ++i) shape.push_back(i == axis ? factor.size() : 1);
  return cast(mul_add(wide, reshape(factor, shape), reshape(shift, shape)), x.dtype());
}

}  // namespace alula::keras
