#include "alula/keras/layers/activation.h"

namespace alula::keras {

ReLUImpl::ReLUImpl(const ReLUOptions& options) : LayerWith(options) {
  require(options.max_value.value_or(0) >= 0, "ReLU: max_value cannot be negative. Got {}.",
          options.max_value.value_or(0));
  require(options.negative_slope >= 0, "ReLU: negative_slope cannot be negative. Got {}.",
          options.negative_slope);
  require(options.threshold >= 0, "ReLU: threshold cannot be negative. Got {}.", options.threshold);
}

Tensor ReLUImpl::call(const Tensor& x) {
  return activations::relu(x, {.negative_slope = options.negative_slope,
                               .max_value = options.max_value,
                               .threshold = options.threshold});
}

Tensor LeakyReLUImpl::call(const Tensor& x) {
  return activations::leaky_relu(x, options.negative_slope);
}

Tensor ELUImpl::call(const Tensor& x) { return activations::elu(x, options.alpha); }

Tensor SoftmaxImpl::call(const Tensor& x) { return activations::softmax(x, options.axis); }

}  // namespace alula::keras
