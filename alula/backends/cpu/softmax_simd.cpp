// softmax and log_softmax, a tile that fits the cache at a time.
#include <algorithm>
#include <cstdint>

#include "alula/backends/cpu/along_axis.h"
#include "alula/backends/cpu/targets.h"
#include "alula/ops/softmax.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/softmax_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "alula/backends/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

/// `exps` has room for a tile laid out like `out`; only the logarithm needs it.
template <class F>
void softmax_tile(ExpTile<F>& tile, bool log, const F* x, F* out, F* exps) {
  tile.compute(x, out, log ? exps : out);
  F factors[kMostSums];
  for (int64_t i = 0; i < tile.results(); ++i)
    factors[i] = static_cast<F>(log ? std::log(tile.sums[i]) : 1 / tile.sums[i]);
  tile.each_row([&](int64_t i, int64_t at) {
    F* row = out + at;
    const F one = factors[tile.columns ? 0 : i];
    if (log)
      for (int64_t j = 0; j < tile.width; ++j) row[j] -= tile.columns ? factors[j] : one;
    else
      for (int64_t j = 0; j < tile.width; ++j) row[j] *= tile.columns ? factors[j] : one;
  });
}

/// A tile of elements that are computed with where they are. If they are 16 bits wide, or in rows
/// so far apart that they would drive each other out of the cache, it is done in the scratch.
template <class T, class F>
void softmax_of(ExpTile<F>& tile, bool log, const T* x, T* out, F* room) {
  if constexpr (std::is_same_v<T, F>)
    if (tile.stride == tile.width) return softmax_tile<F>(tile, log, x, out, room);
  const int64_t stride = tile.stride;
  F* copy = room + tile.rows * tile.width;
  tile.stride = tile.width;
  tile.each_row([&](int64_t i, int64_t at) { widen(x + i * stride, copy + at, tile.width); });
  softmax_tile<F>(tile, log, copy, copy, room);
  tile.each_row([&](int64_t i, int64_t at) { narrow(copy + at, out + i * stride, tile.width); });
}

template <class T>
void softmax_all(const AlongAxis& shape, bool log, const T* x, T* out) {
  using F = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const int64_t n = shape.length;
  const bool columns = shape.inner > 1;
  // Tiles of rows take several of them; tiles of columns take a part of the width.
  const int64_t step = columns
                           ? std::min(shape.inner, std::clamp<int64_t>(65536 / n, 32, kMostSums))
                           : std::min(shape.outer, rows_at_a_time(n));
  const int64_t along = columns ? shape.inner : shape.outer;
  const int64_t pieces = (along + step - 1) / step;
  const bool scratch = log || columns || !std::is_same_v<T, F>;
  team::parallel_for(
      columns ? shape.outer * pieces : pieces, static_cast<double>(n * step) * 0.25 * sizeof(F),
      [&](int64_t begin, int64_t end) {
        const Scratch<F> room(scratch ? 2 * n * step : 0);
        ExpTile<F> tile;
        tile.columns = columns;
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i % pieces * step, count = std::min(step, along - first);
          tile.rows = columns ? n : count;
          tile.width = columns ? count : n;
          tile.stride = columns ? shape.inner : n;
          const int64_t at = columns ? i / pieces * n * shape.inner + first : first * n;
          softmax_of<T, F>(tile, log, x + at, out + at, room.data());
        }
      });
}

void RunSoftmax(int64_t axis, bool log, const KernelCall& call) {
  const View &x = call.inputs[0], &out = call.outputs[0];
  if (x.size() == 0) return;
  const AlongAxis shape(x.shape(), axis);
  switch (x.dtype()) {
    case DType::kFloat16: return softmax_all(shape, log, x.as<const Half>(), out.as<Half>());
    case DType::kBFloat16:
      return softmax_all(shape, log, x.as<const BFloat16>(), out.as<BFloat16>());
    case DType::kFloat32: return softmax_all(shape, log, x.as<const float>(), out.as<float>());
    default: return softmax_all(shape, log, x.as<const double>(), out.as<double>());
  }
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {
namespace {

HWY_EXPORT(RunSoftmax);

const RegisterKernel<DeviceType::kCPU, Softmax> softmax{
    [](const Softmax& op, const KernelCall& call) {
      HWY_DYNAMIC_DISPATCH(RunSoftmax)(op.axis, false, call);
    }};
const RegisterKernel<DeviceType::kCPU, LogSoftmax> log_softmax{
    [](const LogSoftmax& op, const KernelCall& call) {
      HWY_DYNAMIC_DISPATCH(RunSoftmax)(op.axis, true, call);
    }};

}  // namespace
}  // namespace alula::cpu
#endif
