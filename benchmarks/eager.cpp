// What an eager op costs from C++.
#include <benchmark/benchmark.h>

#include "alula/alula.h"

namespace {

using namespace alula;

void add_10x10(benchmark::State& state) {
  const Tensor a(std::vector<float>(100, 1.5f), {10, 10});
  const Tensor b(std::vector<float>(100, 2.5f), {10, 10});
  for (auto _ : state) benchmark::DoNotOptimize(add(a, b));
}
BENCHMARK(add_10x10);

void matmul_10x10(benchmark::State& state) {
  const Tensor a(std::vector<float>(100, 1.5f), {10, 10});
  const Tensor b(std::vector<float>(100, 2.5f), {10, 10});
  for (auto _ : state) benchmark::DoNotOptimize(matmul(a, b));
}
BENCHMARK(matmul_10x10);

void relu_64mib(benchmark::State& state) {
  const Tensor a(std::vector<float>(16 << 20, 1.5f));
  for (auto _ : state) benchmark::DoNotOptimize(relu(a));
  state.SetBytesProcessed(state.iterations() * 2 * a.bytes());
}
BENCHMARK(relu_64mib)->Unit(benchmark::kMillisecond)->UseRealTime();

void silu_64mib(benchmark::State& state) {
  const Tensor a(std::vector<float>(16 << 20, 1.5f));
  for (auto _ : state) benchmark::DoNotOptimize(silu(a));
  state.SetBytesProcessed(state.iterations() * 2 * a.bytes());
}
BENCHMARK(silu_64mib)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
