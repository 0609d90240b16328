#include "alula/ops/dropout.h"

#include "alula/ops/keep_scaled.h"
#include "alula/ops/random.h"

namespace alula {

Tensor dropout(const Tensor& x, double rate, const DropoutOptions& options) {
  require(x.defined() && is_floating(x.dtype()), "dropout: takes floating types. Got {}.",
          x.defined() ? x.spec() : Spec());
  require(rate >= 0 && rate < 1, "dropout: the rate is a number from 0 to 1, without 1. Got {}.",
          rate);
  if (rate == 0) return x;
  Shape shape = x.shape();
  if (options.noise_shape.rank() > 0) {
    require(options.noise_shape.rank() == x.rank(),
            "dropout: noise_shape must have as many dimensions as x. Got {}, noise_shape {}.",
            x.spec(), options.noise_shape);
    for (int i = 0; i < x.rank(); ++i)
      if (options.noise_shape[i] != kUnknown) shape[i] = options.noise_shape[i];
  }
  const Tensor keep =
      random::bernoulli(shape, {.probability = 1 - rate, .dtype = boolean, .seed = options.seed});
  return keep_scaled(keep, x, 1 / (1 - rate));
}

}  // namespace alula
