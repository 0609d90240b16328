#pragma once
#include "alula/ops/reduce.h"

namespace alula {

/// The mean of the squared distances from the mean, along some axes. Floating types; 16-bit ones
/// are computed in float32.
///   reduce_variance({1.f, 3.f})  ->  1
Tensor reduce_variance(const Tensor& x, const ReduceOptions& options = {});

/// The square root of the variance. Floating types.
///   reduce_std({1.f, 5.f})  ->  2
Tensor reduce_std(const Tensor& x, const ReduceOptions& options = {});

/// log(sum(exp(x))) along some axes, computed so that large elements do not overflow. Floating
/// types.
///   reduce_logsumexp({1000.f, 1000.f})  ->  1000.6931
Tensor reduce_logsumexp(const Tensor& x, const ReduceOptions& options = {});

struct Moments {
  Tensor mean;
  Tensor variance;
};

/// Mean and variance along some axes. Floating types.
///   moments({1.f, 3.f})  ->  mean 2, variance 1
Moments moments(const Tensor& x, const ReduceOptions& options = {});

struct L2NormalizeOptions {
  Axes axis;               // all of them unless given
  double epsilon = 1e-12;  // the least sum of squares that is divided by
};

/// x / sqrt(max(sum(x * x), epsilon)) along some axes: vectors of length 1. Floating types.
///   l2_normalize({3.f, 4.f})  ->  {0.6, 0.8}
Tensor l2_normalize(const Tensor& x, const L2NormalizeOptions& options = {});

}  // namespace alula
