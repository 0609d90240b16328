// Trains a small model by hand for 100 steps, each on ten samples, within scopes of the CPU and of
// the GPU: a function that is traced once, and run compiled from then on. Where there is no GPU,
// both run on the CPU.
//
// Expected output:
// Training within /CPU:0 took <time> seconds, the last loss was <number>.
// Training within /GPU:0 took <time> seconds, the last loss was <number>.
// Traces of the step, one for each device: <number>.
#include <chrono>

#include "alula/alula.h"

namespace tf = alula;
namespace keras = tf::keras;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  tf::logging::set_level(tf::logging::Level::kSilent);  // where there is no GPU, the CPU does it
  const int64_t samples = 1000, batch = 10;
  const tf::Tensor data = tf::random::uniform({samples, 100});
  const tf::Tensor labels = tf::random::uniform({samples}, {.maxval = 10, .dtype = tf::int32});

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

  for (const char* name : {"/CPU:0", "/GPU:0"}) {
    const auto scope = tf::device(name);
    const double start = seconds();
    float loss = 0;
    for (int64_t i = 0; i < 100; ++i) {
      const int64_t first = i * batch % samples;
      loss =
          train_step(tf::slice(data, {first, 0}, {batch, 100}), tf::slice(labels, {first}, {batch}))
              .item<float>();
    }
    fmt::print("Training within {} took {:.4f} seconds, the last loss was {:.3f}.\n", name,
               seconds() - start, loss);
  }
  fmt::print("Traces of the step, one for each device: {}.\n", train_step.trace_count());
}
