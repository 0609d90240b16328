#include "alula/backends/cpu/random.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "alula/ops/random.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// Shares a job out by tiles: what an element is does not depend on who makes it.
void run(const RandomJob& job, const View& output, double nanoseconds) {
  const int64_t count = output.size();
  const auto size = static_cast<int64_t>(size_of(job.dtype));
  team::parallel_for((count + kRandomTile - 1) / kRandomTile, nanoseconds * kRandomTile,
                     [&](int64_t begin, int64_t end) {
                       const int64_t first = begin * kRandomTile;
                       generate(job, first, std::min(count, end * kRandomTile) - first,
                                output.as<char>() + first * size);
                     });
}

RandomJob job_of(RandomJob::Kind kind, const RandomOutput& op) {
  return {.kind = kind, .dtype = op.output.dtype, .stream = op.stream};
}

/// 64-bit elements take twice the words, and their functions have half the lanes.
double width_of(DType dtype) { return size_of(dtype) == 8 ? 2 : 1; }

const RegisterKernel<DeviceType::kCPU, RandomUniform> uniform_kernel{
    [](const RandomUniform& op, const KernelCall& call) {
      RandomJob job = job_of(RandomJob::Kind::kUniform, op);
      if (is_integer(job.dtype)) {
        job.kind = RandomJob::Kind::kUniformInteger;
        job.low = op.minval.as_integer();
        job.range = static_cast<uint64_t>(op.maxval.as_integer()) - static_cast<uint64_t>(job.low);
      } else if (job.dtype == float64) {
        job.shift = op.minval.as_double();
        job.scale = op.maxval.as_double() - job.shift;
      } else {
        // The bounds are rounded to the dtype first, as TensorFlow does.
        const auto low = static_cast<float>(op.minval.as_double());
        job.shift = low;
        job.scale = static_cast<float>(op.maxval.as_double()) - low;
      }
      run(job, call.outputs[0], 0.7 * width_of(job.dtype));
    }};

template <class RandomOp>
void run_normal(RandomJob::Kind kind, const RandomOp& op, const KernelCall& call) {
  RandomJob job = job_of(kind, op);
  job.scale = op.stddev;
  job.shift = op.mean;
  run(job, call.outputs[0], 2 * width_of(job.dtype));
}

const RegisterKernel<DeviceType::kCPU, RandomNormal> normal_kernel{
    [](const RandomNormal& op, const KernelCall& call) {
      run_normal(RandomJob::Kind::kNormal, op, call);
    }};

const RegisterKernel<DeviceType::kCPU, RandomTruncatedNormal> truncated_normal_kernel{
    [](const RandomTruncatedNormal& op, const KernelCall& call) {
      run_normal(RandomJob::Kind::kTruncatedNormal, op, call);
    }};

const RegisterKernel<DeviceType::kCPU, RandomBernoulli> bernoulli_kernel{
    [](const RandomBernoulli& op, const KernelCall& call) {
      RandomJob job = job_of(RandomJob::Kind::kBernoulli, op);
      job.threshold = static_cast<uint64_t>(std::llround(std::ldexp(op.probability, 32)));
      run(job, call.outputs[0], 0.6);
    }};

/// The order that `RandomShuffle` describes: which slice comes to each place.
template <class Index>
std::vector<Index> random_order(const random::Stream& stream, int64_t count) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  constexpr int64_t kBlocks = 256;
  std::vector<uint32_t> words(4 * kBlocks + 60);
  for (int64_t i = 0; i + 1 < count; ++i) {
    const int64_t within = i % (2 * kBlocks);
    if (within == 0) generate_words(stream, i / 2, kBlocks, words.data());
    const uint64_t word = words[2 * within] | uint64_t{words[2 * within + 1]} << 32;
    const auto left = static_cast<uint64_t>(count - i);
    const auto further = static_cast<int64_t>((static_cast<unsigned __int128>(word) * left) >> 64);
    std::swap(order[i], order[i + further]);
  }
  return order;
}

/// Copies slices of `length` elements into their places.
template <class T, class Index>
void gather(const std::vector<Index>& order, int64_t length, const View& from, const View& to) {
  const auto* source = from.as<T>();
  auto* target = to.as<T>();
  team::parallel_for(
      static_cast<int64_t>(order.size()), 1 + 0.2 * static_cast<double>(length * sizeof(T)),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          std::copy_n(source + int64_t{order[i]} * length, length, target + i * length);
      });
}

template <class Index>
void shuffle(const random::Stream& stream, const View& from, const View& to) {
  const std::vector<Index> order = random_order<Index>(stream, from.shape()[0]);
  const int64_t length = from.size() / from.shape()[0];
  if (from.dtype() == string) return gather<std::string>(order, length, from, to);
  switch (size_of(from.dtype())) {
    case 1: return gather<uint8_t>(order, length, from, to);
    case 2: return gather<uint16_t>(order, length, from, to);
    case 4: return gather<uint32_t>(order, length, from, to);
    default: return gather<uint64_t>(order, length, from, to);
  }
}

void shuffle_once(const random::Stream& stream, const View& from, const View& to) {
  if (from.shape()[0] <= INT32_MAX)
    shuffle<int32_t>(stream, from, to);
  else
    shuffle<int64_t>(stream, from, to);
}

const RegisterKernel<DeviceType::kCPU, RandomShuffle> shuffle_kernel{
    [](const RandomShuffle& op, const KernelCall& call) {
      const View &from = call.inputs[0], &to = call.outputs[0];
      if (from.size() == 0) return;
      if (!op.each) return shuffle_once(op.stream, from, to);
      const Shape& shape = from.shape();
      const Spec part = from.spec->with(shape.slice(1, shape.rank()));
      random::Stream stream = op.stream;
      for (int64_t i = 0; i < shape[0]; ++i, stream.low += RandomShuffle::blocks(shape[1]))
        shuffle_once(stream, {&part, from.as<char>() + i * part.bytes()},
                     {&part, to.as<char>() + i * part.bytes()});
    }};

}  // namespace
}  // namespace alula::cpu
