#include "alula/keras/layers/layer_normalization.h"

#include "alula/ops/batch_norm.h"
#include "alula/ops/cast.h"
#include "alula/ops/mul_add.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/rsqrt.h"
#include "alula/ops/square.h"

namespace alula::keras {
namespace {

constexpr const char* kName = "LayerNormalization";

/// Whether the axes are the last ones, so that what is normalized together lies together.
bool are_last(const std::bitset<kMaxRank>& axes, int rank) {
  const auto count = static_cast<int>(axes.count());
  for (int i = 0; i < count; ++i)
    if (!axes[rank - 1 - i]) return false;
  return count > 0;
}

}  // namespace

LayerNormalizationImpl::LayerNormalizationImpl(const LayerNormalizationOptions& options)
    : LayerWith(options) {
  require(options.epsilon > 0, "{}: epsilon must be positive. Got {}.", kName, options.epsilon);
  set_autocast(Autocast::kNo);
  set_input_spec({.min_rank = 1});
}

void LayerNormalizationImpl::build(const Shape& input) {
  const auto axes = options.axis.among(kName, input.rank());
  Shape shape;
  for (int i = 0; i < input.rank(); ++i)
    if (axes[i]) shape.push_back(input[i]);
  const DType kept = is_half(variable_dtype()) ? float32 : variable_dtype();
  if (options.scale)
    gamma = add_weight({.name = "gamma",
                        .shape = shape,
                        .initializer = options.gamma_initializer,
                        .regularizer = options.gamma_regularizer,
                        .dtype = kept});
  if (options.center)
    beta = add_weight({.name = "beta",
                       .shape = shape,
                       .initializer = options.beta_initializer,
                       .regularizer = options.beta_regularizer,
                       .dtype = kept});
  set_input_spec(
      {.rank = input.rank(), .channels = axes[input.rank() - 1] ? input.back() : kUnknown});
}

Tensor LayerNormalizationImpl::prepare(const Tensor& input) const {
  return cast(input, compute_dtype());
}

/// With mean 0 and variance 1.
Tensor LayerNormalizationImpl::normalized(const Tensor& x) const {
  const auto axes = options.axis.among(kName, x.rank());
  if (are_last(axes, x.rank()) && x.shape().is_known()) {
    // The examples are the channels of a batch normalization: one pass for the statistics.
    const int outer = x.rank() - static_cast<int>(axes.count());
    const Shape rows{x.shape().slice(0, outer).size(), x.shape().slice(outer, x.rank()).size()};
    const BatchNormResult result =
        batch_norm(reshape(x, rows), {.axis = 0, .epsilon = options.epsilon});
    return reshape(result.y, x.shape());
  }
  const ReduceOptions along{.axis = options.axis, .keepdims = true};
  const Tensor centered = x - reduce_mean(x, along);
  const Tensor variance = reduce_mean(square(centered), along);
  return centered * rsqrt(variance + options.epsilon);
}

Tensor LayerNormalizationImpl::call(const Tensor& x) {
  const DType kept = is_half(x.dtype()) ? float32 : x.dtype();
  Tensor y = normalized(cast(x, kept));
  if (!options.scale && !options.center) return cast(y, x.dtype());
  const auto axes = options.axis.among(kName, x.rank());
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) shape.push_back(axes[i] ? x.shape()[i] : 1);
  const auto beside = [&](const Variable& weight) {
    return are_last(axes, x.rank()) ? weight.value() : reshape(weight, shape);
  };
  if (options.scale && options.center)
    y = mul_add(y, beside(gamma), beside(beta));
  else
    y = options.scale ? y * beside(gamma) : y + beside(beta);
  return cast(y, x.dtype());
}

}  // namespace alula::keras
