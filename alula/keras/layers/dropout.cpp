#include "alula/keras/layers/dropout.h"

#include "alula/ops/keep_scaled.h"
#include "alula/ops/random.h"

namespace alula::keras {

DropoutImpl::DropoutImpl(const DropoutOptions& options) : LayerWith(options) {
  require(options.rate >= 0 && options.rate <= 1,
          "Dropout: the rate is a number from 0 to 1. Got {}.", options.rate);
}

Tensor DropoutImpl::call(const Tensor& x) {
  // What is only described yet keeps its shape; nothing is drawn for it.
  if (!training() || options.rate == 0 || is_only_described(x)) return x;
  const double kept = 1 - options.rate;
  Shape shape = x.shape();
  const Shape& noise = options.noise_shape;
  if (noise.rank() > 0) {
    require(noise.rank() == x.rank(),
            "Dropout: noise_shape must have as many dimensions as the input. Got {}, noise_shape "
            "{}.",
            x.spec(), noise);
    for (int i = 0; i < noise.rank(); ++i)
      if (noise[i] != kUnknown) shape[i] = noise[i];
  }
  const Tensor keep =
      random::bernoulli(shape, {.probability = kept, .dtype = boolean, .seed = options.seed});
  return keep_scaled(keep, x, kept > 0 ? 1 / kept : 0);
}

}  // namespace alula::keras
