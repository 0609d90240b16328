// The interface as a user's project sees it: it must compile without a warning.
#include "alula/alula.h"

namespace tf = alula;

int main() {
  const tf::Tensor x = tf::random::uniform({64, 28, 28, 1}), y = tf::zeros({64}, tf::int32);
  auto model = tf::keras::Sequential({
      tf::keras::layers::Conv2D(
          {.filters = 32, .kernel_size = 3, .activation = "relu", .input_shape = {28, 28, 1}}),
      tf::keras::layers::MaxPooling2D({.pool_size = 2}),
      tf::keras::layers::BatchNormalization(),
      tf::keras::layers::Dropout({.rate = 0.5}),
      tf::keras::layers::Flatten(),
      tf::keras::layers::Dense(
          {.units = 16, .activation = tf::tanh, .kernel_initializer = "he_normal"}),
      tf::keras::layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  model.compile(
      {.optimizer = tf::keras::optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}),
       .loss = tf::keras::losses::SparseCategoricalCrossentropy(),
       .metrics = {"accuracy", tf::keras::metrics::SparseTopKCategoricalAccuracy({.k = 3})}});
  const auto history =
      model.fit(x, y, {.batch_size = 32, .epochs = 2, .verbose = 0, .validation_data = {x, y}});

  auto loss_fn = tf::keras::losses::SparseCategoricalCrossentropy();
  auto optimizer = tf::keras::optimizers::Adam({.learning_rate = 0.001});
  tf::GradientTape tape;
  const tf::Tensor loss = loss_fn(y, model(x, {.training = true}));
  const auto variables = model.trainable_variables();
  const auto gradients = tape.gradient(loss, variables);
  optimizer.apply_gradients(tf::keras::zip(gradients, variables));
  return history["val_loss"].size() == 2 && model.predict(x, {.verbose = 0}).shape()[1] == 10 ? 0
                                                                                              : 1;
}
