// What `make demo` shows: a small convolutional network learns to read handwritten digits.
//
// Expected output:
// Alula <number>.<number>, CPU, <number> threads
//
// 60000 images to learn from, 10000 to test with, read in <time>.
// Model: "sequential"
// ...
// Total params: 54,410 (212.54 KB)
// ...
// Epoch 1/3
// 1875/1875 ... - accuracy: 0.9<number> - loss: <number>
// Epoch 2/3
// 1875/1875 ... - accuracy: 0.9<number> - loss: <number>
// Epoch 3/3
// 1875/1875 ... - accuracy: 0.9<number> - loss: <number>
//
// Test accuracy: 98.<number>%
// An epoch took <time> on the CPU: <number> images a second.
//
// Next: ...
// ...
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;
namespace layers = tf::keras::layers;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Pixels between 0 and 1, with an axis for the one colour.
tf::Tensor prepared(const tf::Tensor& images) {
  return tf::expand_dims(tf::cast(images, tf::float32) / 255.0, -1);
}

}  // namespace

int main() {
  fmt::print("Alula {}, {}\n\n", tf::version(), tf::backend_of(tf::kCPU).description());
  double start = seconds();
  const auto [train, test] = tf::keras::datasets::mnist::load_data();
  const int64_t images = train.x.shape()[0];
  fmt::print("{} images to learn from, {} to test with, read in {:.2f} s.\n", images,
             test.x.shape()[0], seconds() - start);

  const auto model = tf::keras::Sequential({
      layers::Conv2D(
          {.filters = 32, .kernel_size = 3, .activation = "relu", .input_shape = {28, 28, 1}}),
      layers::MaxPooling2D({.pool_size = 2}),
      layers::Flatten(),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.summary();

  // A rate that falls to 0 by the last step learns more in three epochs than a constant one.
  const int64_t epochs = 3, batch = 32;
  const auto rate = tf::keras::optimizers::schedules::CosineDecay(
      {.initial_learning_rate = 0.002,
       .decay_steps = static_cast<double>(epochs * images / batch)});
  model.compile({.optimizer = tf::keras::optimizers::Adam({.learning_rate = rate}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  start = seconds();
  model.fit(prepared(train.x), train.y, {.batch_size = batch, .epochs = epochs});
  const double epoch = (seconds() - start) / static_cast<double>(epochs);

  const tf::keras::Logs result = model.evaluate(prepared(test.x), test.y, {.verbose = 0});
  fmt::print("\nTest accuracy: {:.2f}%\n", 100 * result["accuracy"]);
  fmt::print("An epoch took {:.1f} s on the CPU: {:.0f} images a second.\n\n", epoch,
             static_cast<double>(images) / epoch);
  fmt::print(
      "Next: change the model in examples/cpp/demo.cpp and run this again, read the other "
      "examples,\nor write a program of your own (README.md).\n");
  return result["accuracy"] >= 0.98 ? 0 : 1;
}
