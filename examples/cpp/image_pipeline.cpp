// Trains a convolutional network on 10,000 random images that a step of the input pipeline makes
// brighter or darker. The step is traced: the pause in it happens once, not once an image, and the
// whole batch is brightened by one call. What the pipeline did is said at the end.
//
// Expected output:
// Training took <time> seconds.
// from_tensor_slices: 10000 elements...
// map: one call for 32 elements...
// batch(32)
// prefetch(AUTOTUNE)...
// gives (float32[?,64,64,3], int64[?])
#include <chrono>
#include <thread>

#include "alula/alula.h"

namespace tf = alula;
namespace keras = tf::keras;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  const int64_t samples = 10'000;
  const tf::Tensor images = tf::random::uniform({samples, 64, 64, 3});
  const tf::Tensor labels = tf::random::uniform({samples}, {.maxval = 10, .dtype = tf::int64});

  const auto brighten = [](const tf::Tensor& image, const tf::Tensor& label) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::tuple(tf::image::random_brightness(image, 0.1), label);
  };
  const auto dataset = tf::data::Dataset::from_tensor_slices({images, labels})
                           .map(brighten)
                           .batch(32)
                           .prefetch(tf::data::AUTOTUNE);

  auto model = keras::Sequential({
      keras::layers::Conv2D(
          {.filters = 32, .kernel_size = 3, .activation = "relu", .input_shape = {64, 64, 3}}),
      keras::layers::MaxPooling2D({.pool_size = 2}),
      keras::layers::Flatten(),
      keras::layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});

  const double start = seconds();
  model.fit(dataset, {.epochs = 2, .verbose = 0});
  fmt::print("Training took {:.2f} seconds.\n{}", seconds() - start, dataset.explain());
}
