// What an eager training step costs: forward, loss, gradients, optimizer. `benchmarks/training.py`
// measures the same models in PyTorch and TensorFlow.
#include <benchmark/benchmark.h>

#include "alula/alula.h"

namespace {

using namespace alula;
namespace layers = keras::layers;

/// The step as users write it with a tape.
void run_steps(benchmark::State& state, const keras::Model& model, const Tensor& x,
               const Tensor& y) {
  keras::Optimizer optimizer = keras::optimizers::Adam();
  const keras::Loss loss_fn = keras::losses::SparseCategoricalCrossentropy();
  float last = 0;
  for (auto _ : state) {
    GradientTape tape;
    const Tensor loss = loss_fn(y, model(x, {.training = true}));
    const std::vector<Variable> variables = model.trainable_variables();
    optimizer.apply(tape.gradient(loss, variables), variables);
    last = loss.item<float>();
  }
  state.counters["loss"] = last;
}

Tensor labels(int64_t batch) { return random::uniform({batch}, {.maxval = 10, .dtype = int32}); }

/// 100 inputs, 128 hidden units, 10 classes.
void mlp(benchmark::State& state) {
  const int64_t batch = state.range(0);
  const keras::Sequential model({
      layers::Dense({.units = 128, .activation = "relu", .input_shape = {100}}),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
  run_steps(state, model, random::uniform({batch, 100}), labels(batch));
}
BENCHMARK(mlp)->Arg(10)->Arg(32)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// 28x28 images, 32 filters of 3x3, pooling, 10 classes.
void cnn28(benchmark::State& state) {
  const int64_t batch = state.range(0);
  const keras::Sequential model({
      layers::Conv2D(
          {.filters = 32, .kernel_size = 3, .activation = "relu", .input_shape = {28, 28, 1}}),
      layers::MaxPooling2D({.pool_size = 2}),
      layers::Flatten(),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
  run_steps(state, model, random::uniform({batch, 28, 28, 1}), labels(batch));
}
BENCHMARK(cnn28)->Arg(32)->Arg(128)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// The same step inside train_on_batch, with its metric.
void cnn28_train_on_batch(benchmark::State& state) {
  const int64_t batch = state.range(0);
  const keras::Sequential model({
      layers::Conv2D(
          {.filters = 32, .kernel_size = 3, .activation = "relu", .input_shape = {28, 28, 1}}),
      layers::MaxPooling2D({.pool_size = 2}),
      layers::Flatten(),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  const Tensor x = random::uniform({batch, 28, 28, 1}), y = labels(batch);
  for (auto _ : state) benchmark::DoNotOptimize(model.train_on_batch(x, y));
}
BENCHMARK(cnn28_train_on_batch)->Arg(32)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// Only Adam's update of ten million parameters, beside the bytes that it must move.
void adam_10m(benchmark::State& state) {
  const Variable w(random::normal({10'000'000}));
  const Tensor g = random::normal({10'000'000});
  keras::Optimizer optimizer = keras::optimizers::Adam();
  for (auto _ : state) optimizer.apply({g}, {w});
  state.SetBytesProcessed(state.iterations() * w.size() * 7 * 4);  // reads 4, writes 3
}
BENCHMARK(adam_10m)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
