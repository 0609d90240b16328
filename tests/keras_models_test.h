#pragma once
#include "alula/alula.h"

// The models whose training is compared with Keras's: those of tools/keras_reference/models.py.
namespace alula::parity {

inline keras::Model mnist_cnn() {
  using namespace keras;
  return Sequential({
      Input({.shape = {28, 28, 1}}),
      layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
      layers::MaxPooling2D({.pool_size = 2}),
      layers::Flatten(),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
}

inline keras::Model mlp() {
  using namespace keras;
  return Sequential({
      Input({.shape = {100}}),
      layers::Dense({.units = 128, .activation = "relu"}),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
}

inline Tensor residual_block(const Tensor& x, int64_t filters, int64_t strides) {
  namespace layers = keras::layers;
  Tensor shortcut = x;
  Tensor y = layers::Conv2D({.filters = filters,
                             .kernel_size = 3,
                             .strides = strides,
                             .padding = "same",
                             .use_bias = false})(x);
  y = layers::BatchNormalization()(y);
  y = layers::Activation({.activation = "relu"})(y);
  y = layers::Conv2D({.filters = filters, .kernel_size = 3, .padding = "same", .use_bias = false})(
      y);
  y = layers::BatchNormalization()(y);
  if (strides != 1 || x.shape().back() != filters) {
    shortcut = layers::Conv2D(
        {.filters = filters, .kernel_size = 1, .strides = strides, .use_bias = false})(x);
    shortcut = layers::BatchNormalization()(shortcut);
  }
  return layers::Activation({.activation = "relu"})(layers::Add()({y, shortcut}));
}

inline keras::Model resnet() {
  namespace layers = keras::layers;
  const Tensor inputs = keras::Input({.shape = {28, 28, 1}});
  Tensor x = layers::Conv2D(
      {.filters = 16, .kernel_size = 3, .strides = 2, .padding = "same", .use_bias = false})(
      inputs);
  x = layers::BatchNormalization()(x);
  x = layers::Activation({.activation = "relu"})(x);
  x = residual_block(x, 16, 1);
  x = residual_block(x, 32, 2);
  x = layers::GlobalAveragePooling2D()(x);
  return keras::Model(
      {.inputs = inputs, .outputs = layers::Dense({.units = 10, .activation = "softmax"})(x)});
}

}  // namespace alula::parity
