// Elementwise programs of several instructions: activations, a chain, an optimizer's step. Run it
// again with ALULA_JIT=0 to see them interpreted.
#include "alula/ops/elementwise.h"

#include <benchmark/benchmark.h>

#include "alula/alula.h"

namespace {

using namespace alula;

Tensor numbers(int64_t size) {
  std::vector<float> values(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) * 0.01f - 5;
  return Tensor(values);
}

template <class F>
void run(benchmark::State& state, const F& function) {
  const Tensor x = numbers(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(function(x));
  state.counters["ns/element"] = benchmark::Counter(
      static_cast<double>(state.range(0)) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

#define SIZES ->Arg(1000)->Arg(100'000)->Arg(16'000'000)->UseRealTime()
BENCHMARK_CAPTURE(run, silu, [](const Tensor& x) { return silu(x); }) SIZES;
BENCHMARK_CAPTURE(run, gelu, [](const Tensor& x) { return gelu(x); }) SIZES;
BENCHMARK_CAPTURE(run, tanh, [](const Tensor& x) { return alula::tanh(x); }) SIZES;
BENCHMARK_CAPTURE(run, softplus, [](const Tensor& x) { return softplus(x); }) SIZES;

/// Eight instructions without a function among them.
const scalar::Program& chain() {
  static const std::unique_ptr<scalar::Program> program = [] {
    scalar::Builder b;
    const Scalar x = b.input(float32);
    const Scalar a = x * 2 + 1, c = max(a, 0) - x, d = select(x < 0, c, a) * c;
    return b.finish("chain", {&d, 1});
  }();
  return *program;
}
BENCHMARK_CAPTURE(run, chain, [](const Tensor& x) { return call(ElementwiseOp(chain()), x); })
SIZES;

void adam(benchmark::State& state) {
  const std::vector<Variable> variables = {Variable(numbers(state.range(0)))};
  const std::vector<Tensor> gradients = {numbers(state.range(0))};
  keras::Optimizer optimizer = keras::optimizers::Adam();
  for (auto _ : state) optimizer.apply(gradients, variables);
  state.SetBytesProcessed(state.iterations() * state.range(0) * 7 * 4);
}
BENCHMARK(adam)->Arg(14'000)->Arg(10'000'000)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
