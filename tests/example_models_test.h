#pragma once
#include "alula/alula.h"

/// The kinds of models that examples and benchmarks train, for tests of the compiler.
namespace alula::examples {

struct Example {
  const char* name;
  keras::Sequential (*make)();
  Shape input;  // of one element
};

inline std::vector<Example> all_examples() {
  using keras::Sequential;
  namespace layers = keras::layers;
  const Shape vector{100}, small{28, 28, 1}, large{64, 64, 3};
  return {
      {"mlp",
       [] {
         return Sequential({layers::Dense({.units = 128, .activation = "relu"}),
                            layers::Dense({.units = 10, .activation = "softmax"})});
       },
       vector},
      {"mlp_gelu",
       [] {
         return Sequential({layers::Dense({.units = 128, .activation = "gelu"}),
                            layers::Dense({.units = 10, .activation = "softmax"})});
       },
       vector},
      {"mlp_dropout",
       [] {
         return Sequential({layers::Dense({.units = 128, .activation = "relu"}),
                            layers::Dropout({.rate = 0.5}),
                            layers::Dense({.units = 10, .activation = "softmax"})});
       },
       vector},
      {"cnn28",
       [] {
         return Sequential({layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                            layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                            layers::Dense({.units = 10, .activation = "softmax"})});
       },
       small},
      {"cnn28_norm",
       [] {
         return Sequential(
             {layers::Conv2D({.filters = 32, .kernel_size = 3}), layers::BatchNormalization(),
              layers::Activation({.activation = "relu"}), layers::MaxPooling2D({.pool_size = 2}),
              layers::Flatten(), layers::Dense({.units = 10, .activation = "softmax"})});
       },
       small},
      {"cnn28_2blocks",
       [] {
         return Sequential({layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                            layers::MaxPooling2D({.pool_size = 2}),
                            layers::Conv2D({.filters = 64, .kernel_size = 3, .activation = "relu"}),
                            layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                            layers::Dropout({.rate = 0.5}),
                            layers::Dense({.units = 10, .activation = "softmax"})});
       },
       small},
      {"cnn64",
       [] {
         return Sequential({layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                            layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                            layers::Dense({.units = 10, .activation = "softmax"})});
       },
       large},
  };
}

/// A model with its weights, its optimizer and a batch, always the same.
struct Session {
  keras::Sequential model;
  keras::Optimizer optimizer;
  keras::Loss loss = keras::losses::SparseCategoricalCrossentropy();
  Tensor x, y;

  Session(const Example& example, int64_t batch)
      : model((keras::backend::clear_session(), random::set_seed(7), example.make())),
        optimizer(keras::optimizers::Adam()),
        x(random::uniform(Shape{batch} + example.input, {.seed = 1})),
        y(random::uniform({batch}, {.maxval = 10, .dtype = int32, .seed = 2})) {
    model(x);  // makes the weights
  }

  /// The step as users write it with a tape: the loss.
  Tensor train(const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    const Tensor value = loss(labels, model(images, {.training = true}));
    const std::vector<Variable> variables = model.trainable_variables();
    optimizer.apply(tape.gradient(value, variables), variables);
    return value;
  }
};

}  // namespace alula::examples
