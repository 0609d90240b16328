#include <utility>

#include "alula/backends/cpu/conv2d_tiles.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/conv2d_filter_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// As many sums as the registers hold beside two vectors of the gradient and one of the input.
constexpr int kOffsets = HWY_MAX_BYTES == 64 ? 12 : 6;

template <class T, int kN, int kV>
void outer(const FilterTile<T>& tile) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t offsets[kN];
  V sums[kN][kV];
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n) {
    offsets[n] = tile.offsets[n];
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
      sums[n][v] = hn::LoadU(d, tile.sums + n * tile.sums_step + v * kLanes);
  }
  for (int64_t y = 0; y < tile.rows; ++y) {
    const T* input = tile.input + y * tile.input_row;
    const T* gradient = tile.gradient + y * tile.gradient_row;
    for (int64_t i = 0; i < tile.columns; ++i) {
      V g[kV];
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v) g[v] = hn::LoadU(d, gradient + v * kLanes);
#pragma GCC unroll 16
      for (int n = 0; n < kN; ++n) {
        const V x = hn::Set(d, input[offsets[n]]);
#pragma GCC unroll 4
        for (int v = 0; v < kV; ++v) sums[n][v] = hn::MulAdd(x, g[v], sums[n][v]);
      }
      input += tile.input_step;
      gradient += tile.gradient_step;
    }
  }
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n)
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
      hn::StoreU(sums[n][v], d, tile.sums + n * tile.sums_step + v * kLanes);
}

/// One vector of channels.
template <int kN, class D, class T = hn::TFromD<D>>
HWY_INLINE void depthwise_some(D d, const FilterTile<T>& tile, int64_t channel) {
  int64_t offsets[kN];
  hn::Vec<D> sums[kN];
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n) {
    offsets[n] = tile.offsets[n] + channel;
    sums[n] = hn::LoadU(d, tile.sums + n * tile.sums_step + channel);
  }
  for (int64_t y = 0; y < tile.rows; ++y) {
    const T* input = tile.input + y * tile.input_row;
    const T* gradient = tile.gradient + y * tile.gradient_row + channel;
    for (int64_t i = 0; i < tile.columns; ++i) {
      const auto g = hn::LoadU(d, gradient);
#pragma GCC unroll 16
      for (int n = 0; n < kN; ++n)
        sums[n] = hn::MulAdd(hn::LoadU(d, input + offsets[n]), g, sums[n]);
      input += tile.input_step;
      gradient += tile.gradient_step;
    }
  }
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n) hn::StoreU(sums[n], d, tile.sums + n * tile.sums_step + channel);
}

template <class T, int kN>
void depthwise(const FilterTile<T>& tile, int64_t channels) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) depthwise_some<kN>(d, tile, c);
  for (; c < channels; ++c) depthwise_some<kN>(hn::CappedTag<T, 1>(), tile, c);
}

template <class T, int... kN>
FilterTiles<T> make(std::integer_sequence<int, kN...>) {
  FilterTiles<T> tiles{};
  tiles.lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  tiles.offsets = kOffsets;
  ((tiles.outer[0][kN] = outer<T, kN + 1, 1>), ...);
  ((tiles.outer[1][kN] = outer<T, kN + 1, 2>), ...);
  ((tiles.depthwise[kN] = depthwise<T, kN + 1>), ...);
  return tiles;
}

FilterTiles<float> FloatFilterTiles() {
  return make<float>(std::make_integer_sequence<int, kOffsets>());
}
FilterTiles<double> DoubleFilterTiles() {
  return make<double>(std::make_integer_sequence<int, kOffsets>());
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(FloatFilterTiles);
HWY_EXPORT(DoubleFilterTiles);

template <>
const FilterTiles<float>& filter_tiles() {
  static const FilterTiles<float> best = HWY_DYNAMIC_DISPATCH(FloatFilterTiles)();
  return best;
}
template <>
const FilterTiles<double>& filter_tiles() {
  static const FilterTiles<double> best = HWY_DYNAMIC_DISPATCH(DoubleFilterTiles)();
  return best;
}

}  // namespace alula::cpu
#endif
