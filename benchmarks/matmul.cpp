// Matrix products of float32, on all threads, beside oneDNN's where that is installed.
#include <benchmark/benchmark.h>

#ifdef ALULA_HAS_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

#include "alula/alula.h"

namespace {

using namespace alula;

void count_operations(benchmark::State& state, int64_t n) {
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * static_cast<double>(n * n * n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

std::vector<float> values(int64_t n) {
  std::vector<float> values(n * n);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 31) * 0.1f - 1.5f;
  return values;
}

void product(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor a(values(n), {n, n}), b(values(n), {n, n});
  for (auto _ : state) benchmark::DoNotOptimize(matmul(a, b));
  count_operations(state, n);
}
BENCHMARK(product)->Arg(10)->Arg(32)->Arg(128)->Arg(512)->Arg(1024)->Arg(2048)->UseRealTime();

#ifdef ALULA_HAS_ONEDNN
void onednn(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> a = values(n), b = values(n);
  std::vector<float> c(n * n);
  for (auto _ : state)
    dnnl_sgemm('N', 'N', n, n, n, 1.f, a.data(), n, b.data(), n, 0.f, c.data(), n);
  count_operations(state, n);
}
BENCHMARK(onednn)->Arg(10)->Arg(32)->Arg(128)->Arg(512)->Arg(1024)->Arg(2048)->UseRealTime();
#endif

}  // namespace

BENCHMARK_MAIN();
