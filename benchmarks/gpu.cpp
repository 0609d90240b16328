// What the GPU costs: launches, captured graphs, products, copies. Without a GPU it says why and
// ends.
#include <chrono>
#include <thread>

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

/// 1000 additions, each of what the one before gives, in a compiled function; the time is that of
/// all.
void function_of_1000_adds(benchmark::State& state) {
  const DeviceScope scope(kGpu);
  const auto f = function([](const Tensor& x) {
    Tensor sum = x;
    for (int i = 0; i < 1000; ++i) sum = add(sum, x);
    return sum;
  });
  const Tensor x = on_gpu({10, 10});
  f(x);
  gpu().synchronize();
  while (state.KeepRunningBatch(kRepeats)) {
    for (int i = 0; i < kRepeats; ++i) benchmark::DoNotOptimize(f(x));
    gpu().synchronize();
  }
}
BENCHMARK(function_of_1000_adds)->Unit(benchmark::kMicrosecond)->UseRealTime();

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

/// Convolutions as in residual networks, in a captured graph. (ALULA_CUDNN=never shows our own
/// kernels.)
struct Convolution {
  Shape input, filter;
  Conv2DOptions options;
};
const Convolution kConvolutions[] = {
    {{32, 56, 56, 64}, {3, 3, 64, 64}, {.padding = "SAME"}},
    {{32, 28, 28, 128}, {3, 3, 128, 128}, {.padding = "SAME"}},
    {{128, 14, 14, 256}, {3, 3, 256, 256}, {.padding = "SAME"}},
    {{32, 56, 56, 64}, {1, 1, 64, 256}, {}},
    {{32, 56, 56, 256}, {1, 1, 256, 64}, {}},
    {{32, 56, 56, 128}, {3, 3, 128, 128}, {.strides = 2, .padding = "SAME"}},
    {{32, 224, 224, 3}, {7, 7, 3, 64}, {.strides = 2, .padding = "SAME"}}};

enum class Part { kForward, kInputGradient, kFilterGradient };

void convolve(benchmark::State& state, Part part, DType dtype) {
  const Convolution& c = kConvolutions[state.range(0)];
  const Conv2DShape shape =
      conv2d_shape("benchmark", {dtype, c.input}, {dtype, c.filter}, c.options);
  Tensor x = cast(on_gpu(c.input), dtype), w = cast(on_gpu(c.filter), dtype),
         y = cast(on_gpu(conv2d_result(shape)), dtype);
  const Operand input{x.spec(), 0}, filter{w.spec(), 1}, output{y.spec(), 2};
  const Step step = part == Part::kForward
                        ? Step{std::make_shared<Conv2D>(c.options), {input, filter}, {output}}
                    : part == Part::kInputGradient
                        ? Step{std::make_shared<Conv2DBackpropInput>(c.input, c.options),
                               {filter, output},
                               {input}}
                        : Step{std::make_shared<Conv2DBackpropFilter>(c.filter, c.options),
                               {input, output},
                               {filter}};
  const auto executable = gpu().prepare(std::vector<Step>(kRepeats, step));
  const std::vector<void*> slots = {x.mutable_data(), w.mutable_data(), y.mutable_data()};
  executable->run(slots);
  gpu().synchronize();
  while (state.KeepRunningBatch(kRepeats)) {
    executable->run(slots);
    gpu().synchronize();
  }
  state.SetLabel(fmt::format("{} by {}, strides {}", c.input, c.filter, c.options.strides));
  state.counters["TFLOP/s"] =
      benchmark::Counter(1e-12 * shape.flops(), benchmark::Counter::kIsIterationInvariantRate);
}

void conv2d_float32(benchmark::State& state, Part part) {
  config::enable_tensor_float_32_execution(false);
  convolve(state, part, float32);
  config::enable_tensor_float_32_execution(true);
}
const bool convolutions_registered = [] {
  const auto add = [](const char* dtype, const char* part, const auto& run) {
    benchmark::RegisterBenchmark(fmt::format("conv2d_{}{}", dtype, part).c_str(), run)
        ->DenseRange(0, std::size(kConvolutions) - 1)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  };
  const std::pair<Part, const char*> parts[] = {{Part::kForward, ""},
                                                {Part::kInputGradient, "_input_gradient"},
                                                {Part::kFilterGradient, "_filter_gradient"}};
  for (const auto& [part, name] : parts) {
    add("tf32", name, [part = part](auto& state) { convolve(state, part, float32); });
    add("bfloat16", name, [part = part](auto& state) { convolve(state, part, bfloat16); });
    add("float32", name, [part = part](auto& state) { conv2d_float32(state, part); });
  }
  return true;
}();

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

/// A tensor in pinned memory: a thread makes room once a tensor of its size was asked for.
Tensor pinned(Shape shape) {
  for (int i = 0; i < 3; ++i) {
    Tensor::uninitialized({float32, shape});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return Tensor(values(shape.size()), shape);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(4)->Arg(64 << 10)->Arg(4 << 20)->Arg(256 << 20);
  benchmark->Unit(benchmark::kMicrosecond)->UseRealTime();
}

void upload(benchmark::State& state, const void* from) {
  const auto bytes = static_cast<size_t>(state.range(0));
  void* to = gpu().allocate(bytes);
  for (auto _ : state) {
    gpu().copy_from_host(to, from, bytes);
    gpu().synchronize();
  }
  gpu().release(to, bytes);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void download(benchmark::State& state, void* to) {
  const auto bytes = static_cast<size_t>(state.range(0));
  void* from = gpu().allocate(bytes);
  gpu().copy_from_host(from, to, bytes);
  for (auto _ : state) gpu().copy_to_host(to, from, bytes);
  gpu().release(from, bytes);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

/// From and to memory of the user's own.
void host_to_device(benchmark::State& state) {
  const std::vector<uint8_t> from(state.range(0), 7);
  upload(state, from.data());
}
BENCHMARK(host_to_device)->Apply(sizes);

void device_to_host(benchmark::State& state) {
  std::vector<uint8_t> to(state.range(0), 7);
  download(state, to.data());
}
BENCHMARK(device_to_host)->Apply(sizes);

/// From and to tensors that Alula allocated.
void host_to_device_pinned(benchmark::State& state) {
  const Tensor from = pinned({state.range(0) / 4});
  upload(state, from.data());
}
BENCHMARK(host_to_device_pinned)->Apply(sizes);

void device_to_host_pinned(benchmark::State& state) {
  Tensor to = pinned({state.range(0) / 4});
  download(state, to.mutable_data());
}
BENCHMARK(device_to_host_pinned)->Apply(sizes);

/// A scalar there and back: what waiting for the GPU costs.
void round_trip_4_bytes(benchmark::State& state) {
  const Tensor here(1.5f);
  for (auto _ : state) benchmark::DoNotOptimize(here.to(kGpu).to(kCPU).data());
}
BENCHMARK(round_trip_4_bytes)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// A large product and an upload of 16 MiB, which takes about as long: they go on side by side.
void upload_beside_matmul_4096(benchmark::State& state) {
  const Tensor a = on_gpu({4096, 4096}), here = pinned({2048, 2048});
  matmul(a, a);
  gpu().synchronize();
  while (state.KeepRunningBatch(kRepeats)) {
    for (int i = 0; i < kRepeats; ++i) {
      benchmark::DoNotOptimize(matmul(a, a));
      benchmark::DoNotOptimize(here.to(kGpu));
    }
    gpu().synchronize();
  }
}
BENCHMARK(upload_beside_matmul_4096)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// A product of host tensors, brought to the GPU and back.
void matmul_1024_round_trip(benchmark::State& state) {
  const Tensor a = pinned({1024, 1024}), b = pinned({1024, 1024});
  for (auto _ : state) benchmark::DoNotOptimize(matmul(a.to(kGpu), b.to(kGpu)).to(kCPU).data());
}
BENCHMARK(matmul_1024_round_trip)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// The same, from memory of the user's own into memory of his own.
void matmul_1024_pageable_round_trip(benchmark::State& state) {
  const Spec spec{float32, {1024, 1024}};
  const std::vector<float> a = values(1 << 20), b = values(1 << 20);
  std::vector<float> c(1 << 20);
  const auto bytes = c.size() * sizeof(float);
  const auto bring = [&](const std::vector<float>& from) {
    Tensor there = Tensor::uninitialized(spec, gpu());
    gpu().copy_from_host(there.mutable_data(), from.data(), bytes);
    return there;
  };
  for (auto _ : state) {
    const Tensor product = matmul(bring(a), bring(b));
    gpu().copy_to_host(c.data(), product.data(), bytes);
    benchmark::DoNotOptimize(c.data());
  }
}
BENCHMARK(matmul_1024_pageable_round_trip)->Unit(benchmark::kMicrosecond)->UseRealTime();

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
