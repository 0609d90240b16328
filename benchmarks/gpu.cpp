// What the GPU costs: launches, captured graphs, products, copies. Without a GPU it says why and
// ends.
#include <benchmark/benchmark.h>

#include "alula/alula.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/plugin.h"

namespace {

using namespace alula;

const Device kGpu{DeviceType::kGPU, 0};
constexpr int kRepeats = 20;  // between two waits, so that the wait does not count

Backend& gpu() { return backend_of(kGpu); }

std::vector<float> values(int64_t count) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i * 7919 % 1013) * 1e-3f - 0.5f;
  return values;
}

Tensor on_gpu(Shape shape) { return Tensor(values(shape.size()), shape).to(kGpu); }

/// Launches without waiting: what the calling thread pays.
void eager_add_10x10(benchmark::State& state) {
  const Tensor a = on_gpu({10, 10}), b = on_gpu({10, 10});
  add(a, b);
  gpu().synchronize();
  for (auto _ : state) benchmark::DoNotOptimize(add(a, b));
  gpu().synchronize();
}
BENCHMARK(eager_add_10x10)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// One launch and the wait for it.
void eager_add_10x10_and_wait(benchmark::State& state) {
  const Tensor a = on_gpu({10, 10}), b = on_gpu({10, 10});
  for (auto _ : state) {
    benchmark::DoNotOptimize(add(a, b));
    gpu().synchronize();
  }
}
BENCHMARK(eager_add_10x10_and_wait)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// 1000 additions in one captured graph; the time is that of one addition.
void graph_of_1000_adds(benchmark::State& state) {
  constexpr int kAdds = 1000;
  const Spec spec{float32, {10, 10}};
  const auto op = std::make_shared<ElementwiseOp>(add.program(float32));
  std::vector<Step> steps;
  for (int i = 0; i < kAdds; ++i)
    steps.push_back({op, {{spec, i % 2}, {spec, 2}}, {{spec, 1 - i % 2}}});
  const auto executable = gpu().prepare(std::move(steps));
  Tensor a = on_gpu({10, 10}), b = on_gpu({10, 10}), c = on_gpu({10, 10});
  const std::vector<void*> slots = {a.mutable_data(), b.mutable_data(), c.mutable_data()};
  executable->run(slots);
  gpu().synchronize();
  while (state.KeepRunningBatch(kAdds)) {
    executable->run(slots);
    gpu().synchronize();
  }
}
BENCHMARK(graph_of_1000_adds)->Unit(benchmark::kMicrosecond)->UseRealTime();

void multiply(benchmark::State& state, const Tensor& a, const Tensor& b) {
  const int64_t n = state.range(0);
  matmul(a, b);
  gpu().synchronize();
  while (state.KeepRunningBatch(kRepeats)) {
    for (int i = 0; i < kRepeats; ++i) benchmark::DoNotOptimize(matmul(a, b));
    gpu().synchronize();
  }
  state.counters["TFLOP/s"] = benchmark::Counter(2e-12 * static_cast<double>(n * n * n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

void matmul_tf32(benchmark::State& state) {
  const int64_t n = state.range(0);
  multiply(state, on_gpu({n, n}), on_gpu({n, n}));
}
BENCHMARK(matmul_tf32)->Arg(1024)->Arg(4096)->Unit(benchmark::kMicrosecond)->UseRealTime();

void matmul_float32(benchmark::State& state) {
  const int64_t n = state.range(0);
  config::enable_tensor_float_32_execution(false);
  multiply(state, on_gpu({n, n}), on_gpu({n, n}));
  config::enable_tensor_float_32_execution(true);
}
BENCHMARK(matmul_float32)->Arg(1024)->Arg(4096)->Unit(benchmark::kMicrosecond)->UseRealTime();

void matmul_bfloat16(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor a = cast(on_gpu({n, n}), bfloat16), b = cast(on_gpu({n, n}), bfloat16);
  multiply(state, a, b);
}
BENCHMARK(matmul_bfloat16)->Arg(1024)->Arg(8192)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// Elementwise over more than the card's cache holds: the memory's bandwidth.
void relu_1gib(benchmark::State& state) {
  const Tensor a = on_gpu({256 << 20});
  relu(a);
  gpu().synchronize();
  while (state.KeepRunningBatch(kRepeats)) {
    for (int i = 0; i < kRepeats; ++i) benchmark::DoNotOptimize(relu(a));
    gpu().synchronize();
  }
  state.SetBytesProcessed(state.iterations() * 2 * a.bytes());
}
BENCHMARK(relu_1gib)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// A bias over the last dimension of 1 GiB.
void bias_1gib(benchmark::State& state) {
  const Tensor a = on_gpu({1 << 20, 256}), b = on_gpu({256});
  add(a, b);
  gpu().synchronize();
  while (state.KeepRunningBatch(kRepeats)) {
    for (int i = 0; i < kRepeats; ++i) benchmark::DoNotOptimize(add(a, b));
    gpu().synchronize();
  }
  state.SetBytesProcessed(state.iterations() * 2 * a.bytes());
}
BENCHMARK(bias_1gib)->Unit(benchmark::kMicrosecond)->UseRealTime();

void host_to_device(benchmark::State& state) {
  const std::vector<uint8_t> from(state.range(0), 7);
  void* to = gpu().allocate(from.size());
  for (auto _ : state) {
    gpu().copy_from_host(to, from.data(), from.size());
    gpu().synchronize();
  }
  gpu().release(to, from.size());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(host_to_device)
    ->Arg(4)
    ->Arg(64 << 10)
    ->Arg(256 << 20)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void device_to_host(benchmark::State& state) {
  std::vector<uint8_t> to(state.range(0), 7);
  void* from = gpu().allocate(to.size());
  gpu().copy_from_host(from, to.data(), to.size());
  for (auto _ : state) gpu().copy_to_host(to.data(), from, to.size());
  gpu().release(from, to.size());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(device_to_host)
    ->Arg(4)
    ->Arg(64 << 10)
    ->Arg(256 << 20)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  if (config::list_physical_devices(DeviceType::kGPU).empty()) {
    fmt::print("gpu: nothing is measured: {}.\n", plugin::reason());
    return 0;
  }
  fmt::print("{}\n", gpu().description());
  benchmark::AddCustomContext("alula", version());
  benchmark::AddCustomContext("gpu", gpu().description());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
