// What an eager op costs from C++: small ones, and a large one beside the machine's copy bandwidth.
#include <cstring>

#include <benchmark/benchmark.h>

#include "alula/alula.h"
#include "alula/runtime/team.h"

namespace {

using namespace alula;

const Tensor& small() {
  static const Tensor tensor(std::vector<float>(100, 1.5f), {10, 10});
  return tensor;
}

const Tensor& large() {  // 64 MiB
  static const Tensor tensor(std::vector<float>(16 << 20, 1.5f));
  return tensor;
}

void add_10x10(benchmark::State& state) {
  const Tensor a = small(), b = relu(small());
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add_10x10);

void add_number_10x10(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(small() + 1);
}
BENCHMARK(add_number_10x10);

void add_row_10x10(benchmark::State& state) {
  const Tensor row(std::vector<float>(10, 2.5f));
  for (auto _ : state) benchmark::DoNotOptimize(small() + row);
}
BENCHMARK(add_row_10x10);

void matmul_10x10(benchmark::State& state) {
  const Tensor a = small(), b = relu(small());
  for (auto _ : state) benchmark::DoNotOptimize(matmul(a, b));
}
BENCHMARK(matmul_10x10);

void reduce_sum_10x10(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(reduce_sum(small()));
}
BENCHMARK(reduce_sum_10x10);

/// The yardstick: a plain copy by all threads, the result allocated as an op's is.
void copy_64mib(benchmark::State& state) {
  for (auto _ : state) {
    Tensor to = Tensor::uninitialized(large().spec());
    team::parallel_for(64, 1e5, [&](int64_t begin, int64_t end) {
      std::memcpy(static_cast<char*>(to.mutable_data()) + (begin << 20),
                  static_cast<const char*>(large().data()) + (begin << 20), (end - begin) << 20);
    });
    benchmark::DoNotOptimize(to);
  }
  state.SetBytesProcessed(state.iterations() * 2 * large().bytes());
}
BENCHMARK(copy_64mib)->Unit(benchmark::kMillisecond)->UseRealTime();

void relu_64mib(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(relu(large()));
  state.SetBytesProcessed(state.iterations() * 2 * large().bytes());
}
BENCHMARK(relu_64mib)->Unit(benchmark::kMillisecond)->UseRealTime();

void add_64mib(benchmark::State& state) {
  const Tensor other = relu(large());
  for (auto _ : state) benchmark::DoNotOptimize(large() + other);
  state.SetBytesProcessed(state.iterations() * 3 * large().bytes());
}
BENCHMARK(add_64mib)->Unit(benchmark::kMillisecond)->UseRealTime();

void silu_64mib(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(silu(large()));
  state.SetBytesProcessed(state.iterations() * 2 * large().bytes());
}
BENCHMARK(silu_64mib)->Unit(benchmark::kMillisecond)->UseRealTime();

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
