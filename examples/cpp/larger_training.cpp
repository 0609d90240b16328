// Trains a small model by hand on 100,000 rows, 32 at a time, within scopes of the CPU and of the
// GPU: a data set gives the batches, a function that is traced once takes the steps. Where there is
// no GPU, both run on the CPU.
//
// Expected output:
// Training within /CPU:0 took <time> seconds, the last loss was <number>.
// Training within /GPU:0 took <time> seconds, the last loss was <number>.
// Each went through 3125 batches.
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;
namespace keras = tf::keras;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  tf::logging::set_level(tf::logging::Level::kSilent);  // where there is no GPU, the CPU does it
  const int64_t samples = 100'000;
  const tf::Tensor data = tf::random::uniform({samples, 100});
  const tf::Tensor labels = tf::random::uniform({samples}, {.maxval = 10, .dtype = tf::int64});

  auto model = keras::Sequential({
      keras::layers::Dense({.units = 128, .activation = "relu", .input_shape = {100}}),
      keras::layers::Dense({.units = 10, .activation = "softmax"}),
  });
  auto optimizer = keras::optimizers::Adam({.learning_rate = 0.001});
  const auto loss_of = keras::losses::SparseCategoricalCrossentropy();
  const auto train_step = tf::function([&](const tf::Tensor& x, const tf::Tensor& y) {
    tf::GradientTape tape;
    const tf::Tensor loss = loss_of(y, model(x));
    const auto variables = model.trainable_variables();
    optimizer.apply_gradients(keras::zip(tape.gradient(loss, variables), variables));
    return loss;
  });

  int64_t batches = 0;
  for (const char* name : {"/CPU:0", "/GPU:0"}) {
    const auto scope = tf::device(name);
    const double start = seconds();
    const auto dataset = tf::data::Dataset::from_tensor_slices({data, labels})
                             .batch(32)
                             .prefetch(tf::data::AUTOTUNE);
    float loss = 0;
    batches = 0;
    for (const tf::data::Element& batch : dataset) {
      const auto [x, y] = batch.tensors<2>();
      loss = train_step(x, y).item<float>();
      ++batches;
    }
    fmt::print("Training within {} took {:.4f} seconds, the last loss was {:.3f}.\n", name,
               seconds() - start, loss);
  }
  fmt::print("Each went through {} batches.\n", batches);
}
