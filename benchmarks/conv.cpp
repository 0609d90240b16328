// Convolutions and pooling of common sizes. The counter is in floating point operations a second.
// Blocks of convolution, bias, relu and pooling run compiled, with the passes that fuse them and
// without.
#include <benchmark/benchmark.h>

#include "alula/alula.h"

namespace {

using namespace alula;

struct Case {
  const char* name;
  Shape input;
  Shape filter;
  Conv2DOptions options;
};

Tensor filled(const Shape& shape) {
  std::vector<float> values(shape.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.001f * static_cast<float>(i % 1000);
  return Tensor(values, shape);
}

void forward(benchmark::State& state, const Case& c) {
  const Tensor input = filled(c.input), filter = filled(c.filter);
  for (auto _ : state) benchmark::DoNotOptimize(conv2d(input, filter, c.options));
  const double flops = conv2d_shape("conv2d", input.spec(), filter.spec(), c.options).flops();
  state.counters["flops"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void backprop_input(benchmark::State& state, const Case& c) {
  const Tensor filter = filled(c.filter);
  const Conv2DShape shape = conv2d_shape("conv2d", {float32, c.input}, filter.spec(), c.options);
  const Tensor gradient = filled(conv2d_result(shape));
  for (auto _ : state)
    benchmark::DoNotOptimize(conv2d_backprop_input(c.input, filter, gradient, c.options));
  state.counters["flops"] =
      benchmark::Counter(shape.flops(), benchmark::Counter::kIsIterationInvariantRate);
}

void backprop_filter(benchmark::State& state, const Case& c) {
  const Tensor input = filled(c.input);
  const Conv2DShape shape = conv2d_shape("conv2d", input.spec(), {float32, c.filter}, c.options);
  const Tensor gradient = filled(conv2d_result(shape));
  for (auto _ : state)
    benchmark::DoNotOptimize(conv2d_backprop_filter(input, c.filter, gradient, c.options));
  state.counters["flops"] =
      benchmark::Counter(shape.flops(), benchmark::Counter::kIsIterationInvariantRate);
}

void pool(benchmark::State& state) {
  const Tensor input = filled({1024, 26, 26, 32});
  for (auto _ : state) benchmark::DoNotOptimize(max_pool2d(input));
  state.SetBytesProcessed(state.iterations() * input.bytes() * 5 / 4);
}
BENCHMARK(pool)->Name("max_pool2d/2x2_26_32_b1024")->Unit(benchmark::kMillisecond)->UseRealTime();

void pool_gradient(benchmark::State& state) {
  const Tensor input = filled({1024, 26, 26, 32}), output = max_pool2d(input);
  for (auto _ : state) benchmark::DoNotOptimize(max_pool2d_gradient(input, output, output));
  state.SetBytesProcessed(state.iterations() * input.bytes() * 5 / 2);
}
BENCHMARK(pool_gradient)
    ->Name("max_pool2d_gradient/2x2_26_32_b1024")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

const Case kCases[] = {
    {"1to32_3x3_28_b32", {32, 28, 28, 1}, {3, 3, 1, 32}, {}},
    {"1to32_3x3_28_b1024", {1024, 28, 28, 1}, {3, 3, 1, 32}, {}},
    {"3to32_3x3_64_b32", {32, 64, 64, 3}, {3, 3, 3, 32}, {}},
    {"64to64_3x3_56_b8", {8, 56, 56, 64}, {3, 3, 64, 64}, {.padding = "SAME"}},
    {"256to256_1x1_14_b32", {32, 14, 14, 256}, {1, 1, 256, 256}, {}},
    {"3to64_7x7s2_224_b4", {4, 224, 224, 3}, {7, 7, 3, 64}, {.strides = 2, .padding = "SAME"}},
    {"depthwise64_3x3_56_b8", {8, 56, 56, 64}, {3, 3, 1, 64}, {.padding = "SAME"}},
    {"512to512_3x3_7_b8", {8, 7, 7, 512}, {3, 3, 512, 512}, {.padding = "SAME"}},
};

struct Block {
  Case conv;
  Pool2DOptions pool{};
  bool first = true;  // nobody asks for the input's gradient
  bool average = false;
};

const Block kBlocks[] = {
    {{"28x28x1_b1", {1, 28, 28, 1}, {3, 3, 1, 32}, {}}},
    {{"28x28x1_b32", {32, 28, 28, 1}, {3, 3, 1, 32}, {}}},
    {{"28x28x1_b1024", {1024, 28, 28, 1}, {3, 3, 1, 32}, {}}},
    {{"64x64x3_b32", {32, 64, 64, 3}, {3, 3, 3, 32}, {}}},
    {{"5x5_b32", {32, 28, 28, 1}, {5, 5, 1, 32}, {}}},
    {{"same_b32", {32, 28, 28, 1}, {3, 3, 1, 32}, {.padding = "SAME"}}},
    {{"stride2_b32", {32, 28, 28, 1}, {3, 3, 1, 32}, {.strides = 2}}},
    {{"pool3s2_b32", {32, 28, 28, 1}, {3, 3, 1, 32}, {}}, {.ksize = 3, .strides = 2}},
    {{"13x13x32_b32", {32, 13, 13, 32}, {3, 3, 32, 64}, {}}, {}, false},
    {{"average_b32", {32, 28, 28, 1}, {3, 3, 1, 32}, {}}, {}, true, true},
};

/// The result, or the gradients with respect to all that is learnt.
std::vector<Tensor> run_block(const Block& b, bool trains, const std::vector<Tensor>& in) {
  GradientTape tape;
  const std::vector<Tensor> sources(in.begin() + (b.first ? 1 : 0), in.end());
  for (const Tensor& source : sources) tape.watch(source);
  const Tensor x = relu(conv2d(in[0], in[1], b.conv.options) + in[2]);
  const Tensor y = b.average ? avg_pool2d(x, b.pool) : max_pool2d(x, b.pool);
  if (!trains) return {y};
  return tape.gradient(reduce_sum(y * y), sources);
}

void block(benchmark::State& state, const Block& b, bool trains, bool fused) {
  const Tensor x = random::normal(b.conv.input), w = random::normal(b.conv.filter),
               bias = random::normal({b.conv.filter[3]});
  graph::PassOptions options;
  if (!fused) options.without = {"pool_first", "fuse_conv2d", "fuse_conv2d_gradient"};
  const Function compiled([&](const Tensor& x, const Tensor& w,
                              const Tensor& bias) { return run_block(b, trains, {x, w, bias}); },
                          options);
  for (auto _ : state) benchmark::DoNotOptimize(compiled(x, w, bias));
}

const bool registered = [] {
  for (const Block& b : kBlocks)
    for (const bool trains : {false, true})
      for (const bool fused : {true, false})
        benchmark::RegisterBenchmark(
            fmt::format("block/{}/{}/{}", b.conv.name, trains ? "gradients" : "forward",
                        fused ? "fused" : "plain")
                .c_str(),
            block, b, trains, fused)
            ->Unit(benchmark::kMicrosecond)
            ->UseRealTime();
  for (const Case& c : kCases) {
    const auto add = [&](const char* what, auto run) {
      benchmark::RegisterBenchmark((std::string(what) + "/" + c.name).c_str(), run, c)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    add("conv2d", forward);
    add("conv2d_backprop_input", backprop_input);
    add("conv2d_backprop_filter", backprop_filter);
  }
  return true;
}();

}  // namespace

BENCHMARK_MAIN();
