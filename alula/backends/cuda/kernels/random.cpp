#include "alula/ops/random.h"

#include <cmath>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/gather.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/ops/fill.h"

namespace alula::cuda {
namespace {

/// A thread makes the elements of four words, or of two and two more where they have 64 bits. An
/// input, if there is one, is the stream to draw from instead of the op's: that of a captured graph
/// changes from run to run.
template <class Job>
void generate(const RandomOutput& op, const KernelCall& call, std::string_view job_name,
              const Job& job) {
  const View& y = call.outputs[0];
  if (y.size() == 0) return;
  const size_t bytes = size_of(y.dtype()), width = bytes == 8 ? 2 : 4;
  const bool packed = is_aligned(y.data, static_cast<int64_t>(width * bytes));
  launch(call, {"random", fmt::format("generate<{}, {}>", job_name, packed ? width : 1)},
         grid_for((y.size() + 3) / 4), y.data, static_cast<long long>(y.size()), op.stream,
         call.inputs.empty() ? nullptr : call.inputs[0].data, job);
}

/// Of floating numbers.
template <class F>
struct Scaling {
  F scale, shift;
};

void generate_scaled(const RandomOutput& op, const KernelCall& call, std::string_view kind,
                     double scale, double shift) {
  const DType dtype = op.output.dtype;
  const std::string name = fmt::format("{}<{}>", kind, type_name(dtype));
  if (dtype == float64)
    generate(op, call, name, Scaling<double>{scale, shift});
  else
    generate(op, call, name, Scaling<float>{static_cast<float>(scale), static_cast<float>(shift)});
}

template <class Bits>
struct Range {
  Bits low, range;
};

const RegisterGpuKernel<RandomUniform> uniform_kernel{
    [](const RandomUniform& op, const KernelCall& call) {
      const DType dtype = op.output.dtype;
      if (is_integer(dtype)) {
        const auto low = static_cast<uint64_t>(op.minval.as_integer());
        const uint64_t range = static_cast<uint64_t>(op.maxval.as_integer()) - low;
        if (dtype == int32)
          generate(op, call, "UniformInteger<int, unsigned int>",
                   Range<uint32_t>{static_cast<uint32_t>(low), static_cast<uint32_t>(range)});
        else
          generate(op, call, "UniformInteger<long long, unsigned long long>",
                   Range<uint64_t>{low, range});
      } else if (dtype == float64) {
        const double low = op.minval.as_double();
        generate_scaled(op, call, "Uniform", op.maxval.as_double() - low, low);
      } else {
        // The bounds are rounded to the dtype first, as TensorFlow does.
        const auto low = static_cast<float>(op.minval.as_double());
        generate_scaled(op, call, "Uniform", static_cast<float>(op.maxval.as_double()) - low, low);
      }
    },
    kNumericOrBool};

const RegisterGpuKernel<RandomNormal> normal_kernel{
    [](const RandomNormal& op, const KernelCall& call) {
      generate_scaled(op, call, "Normal", op.stddev, op.mean);
    },
    kNumericOrBool};

const RegisterGpuKernel<RandomTruncatedNormal> truncated_normal_kernel{
    [](const RandomTruncatedNormal& op, const KernelCall& call) {
      generate_scaled(op, call, "TruncatedNormal", op.stddev, op.mean);
    },
    kNumericOrBool};

template <class Bits>
struct Chance {
  uint64_t threshold;
  Bits one;
};

template <class Bits>
void generate_bits(const RandomBernoulli& op, const KernelCall& call, uint64_t one) {
  const auto threshold = static_cast<uint64_t>(std::llround(std::ldexp(op.probability, 32)));
  generate(op, call, fmt::format("Bernoulli<{}>", bits_name(op.output.dtype)),
           Chance<Bits>{threshold, static_cast<Bits>(one)});
}

const RegisterGpuKernel<RandomBernoulli> bernoulli_kernel{
    [](const RandomBernoulli& op, const KernelCall& call) {
      uint64_t one = 0;
      store_element(1, op.output.dtype, &one);
      switch (size_of(op.output.dtype)) {
        case 1: return generate_bits<uint8_t>(op, call, one);
        case 2: return generate_bits<uint16_t>(op, call, one);
        case 4: return generate_bits<uint32_t>(op, call, one);
        default: return generate_bits<uint64_t>(op, call, one);
      }
    },
    kNumericOrBool};

/// Writes which slice comes to each place of `rows` shuffles of `count` slices. A second input, if
/// there is one, is the stream to draw from.
template <class Index>
void find_order(const RandomShuffle& op, const KernelCall& call, Index rows, Index count,
                Index* order) {
  const size_t bytes = sizeof(Index) * rows * count;
  const Scratch targets(bytes), heads(bytes), next(bytes), last(bytes);
  current_card().clear(heads.data(), bytes, call.queue);
  const auto source = [](std::string_view kernel) {
    return KernelSource{"random shuffle", fmt::format("{}<{}>", kernel, index_name<Index>())};
  };
  const Grid grid = grid_for(static_cast<int64_t>(rows * count));
  launch(call, source("list_targets"), grid, op.stream,
         call.inputs.size() == 1 ? nullptr : call.inputs[1].data, rows, count,
         RandomShuffle::blocks(static_cast<int64_t>(count)), targets.data(), heads.data(),
         next.data());
  launch(call, source("find_last_steps"), grid, rows, count, heads.data(), next.data(),
         last.data());
  launch(call, source("find_order"), grid, rows, count, targets.data(), heads.data(), next.data(),
         last.data(), order);
}

const RegisterGpuKernel<RandomShuffle> shuffle_kernel{
    [](const RandomShuffle& op, const KernelCall& call) {
      const View &from = call.inputs[0], &to = call.outputs[0];
      if (from.size() == 0) return;
      const int64_t rows = op.each ? from.shape()[0] : 1, count = from.shape()[op.each ? 1 : 0];
      with_index(rows * count, [&]<class Index>(Index) {
        const Scratch order(sizeof(Index) * static_cast<size_t>(rows * count));
        find_order<Index>(op, call, static_cast<Index>(rows), static_cast<Index>(count),
                          static_cast<Index*>(order.data()));
        const Spec spec{sizeof(Index) == 4 ? int32 : int64, {rows, count}};
        gather_slices(
            call, from, {&spec, order.data()}, to,
            {.repeats = 1, .chosen = count, .size = from.size() / (rows * count), .dims = {count}});
      });
    },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
