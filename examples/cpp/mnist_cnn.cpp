// A convolutional network for handwritten digits: made, trained for two epochs, evaluated.
//
// Expected output:
// Epoch 1/2
// 1875/1875 ... - accuracy: 0.9<number> - loss: 0.<number>
// Epoch 2/2
// 1875/1875 ... - accuracy: 0.9<number> - loss: 0.<number>
// Test accuracy: 0.9<number>
#include "alula/alula.h"

namespace tf = alula;

int main() {
  const auto model = tf::keras::Sequential({
      tf::keras::layers::Rescaling({.scale = 1 / 255.0, .input_shape = {28, 28, 1}}),
      tf::keras::layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
      tf::keras::layers::MaxPooling2D({.pool_size = 2}),
      tf::keras::layers::Flatten(),
      tf::keras::layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});

  const auto [train, test] = tf::keras::datasets::mnist::load_data();
  model.fit(train.x, train.y, {.batch_size = 32, .epochs = 2});

  const auto result = model.evaluate(test.x, test.y, {.verbose = 0});
  fmt::print("Test accuracy: {:.4f}\n", result["accuracy"]);
}
