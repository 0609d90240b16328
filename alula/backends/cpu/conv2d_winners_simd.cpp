#include <utility>

#include "alula/backends/cpu/conv2d_winners.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/conv2d_winners_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// As many sums as the registers hold beside the rest.
constexpr int kPermutedTerms = HWY_MAX_BYTES == 64 ? 10 : 4;
constexpr int kTerms = HWY_MAX_BYTES == 64 ? 12 : 6;

/// Bytes as numbers as wide as T.
template <class D>
HWY_INLINE auto widened(D /*d*/, const uint8_t* from) {
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<uint32_t, D> d32;
  const auto wide = hn::PromoteTo(d32, hn::LoadU(d8, from));
  if constexpr (sizeof(hn::TFromD<D>) == 4)
    return wide;
  else
    return hn::PromoteTo(hn::RebindToUnsigned<D>(), wide);
}

/// Some values of a window.
template <bool kMasked, class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> values_at(D d, const WinnerRows<T>& w, int64_t at) {
  const auto values = hn::LoadU(d, w.values + at);
  if constexpr (kMasked)
    return hn::IfThenElseZero(hn::Gt(hn::LoadU(d, w.mask + at), hn::Zero(d)), values);
  else
    return values;
}

template <bool kMasked, class T, int kN, int kV>
void permuted_either(const PermutedTile<T>& tile) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const auto places = hn::LoadU(du, tile.places);
  int64_t offsets[kN];
  V sums[kN][kV];
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n) {
    offsets[n] = tile.offsets[n];
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
      sums[n][v] = hn::LoadU(d, tile.sums + n * tile.sums_step + v * kLanes);
  }
  const WinnerRows<T>& w = tile.windows;
  for (int64_t y = 0; y < w.rows; ++y) {
    const T* input = tile.input + y * tile.input_row;
    int64_t window = y * w.row;
    for (int64_t i = 0; i < w.columns; ++i) {
      V g[kV];
      decltype(hn::IndicesFromVec(d, places)) at[kV];
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v) {
        g[v] = values_at<kMasked>(d, w, window + v * kLanes);
        const auto position = widened(d, w.positions + window + v * kLanes);
        at[v] =
            hn::IndicesFromVec(d, hn::TableLookupLanes(places, hn::IndicesFromVec(du, position)));
      }
#pragma GCC unroll 16
      for (int n = 0; n < kN; ++n) {
        const V x = hn::LoadU(d, input + offsets[n]);
#pragma GCC unroll 4
        for (int v = 0; v < kV; ++v)
          sums[n][v] = hn::MulAdd(hn::TableLookupLanes(x, at[v]), g[v], sums[n][v]);
      }
      input += tile.input_step;
      window += w.step;
    }
  }
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n)
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
      hn::StoreU(sums[n][v], d, tile.sums + n * tile.sums_step + v * kLanes);
}

template <class T, int kN, int kV>
void permuted(const PermutedTile<T>& tile) {
  if (tile.windows.mask != nullptr)
    permuted_either<true, T, kN, kV>(tile);
  else
    permuted_either<false, T, kN, kV>(tile);
}

template <class T, int kN, int kV>
void by_channel(const ChannelTile<T>& tile) {
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
  const WinnerRows<T>& w = tile.windows;
  for (int64_t y = 0; y < w.rows; ++y) {
    int64_t window = y * tile.input_row, at = y * w.row;
    for (int64_t i = 0; i < w.columns; ++i) {
      const V g = hn::Set(d, w.values[at]);
      const T* input = tile.input + (window + tile.places[w.positions[at]]);
#pragma GCC unroll 16
      for (int n = 0; n < kN; ++n)
#pragma GCC unroll 4
        for (int v = 0; v < kV; ++v)
          sums[n][v] = hn::MulAdd(hn::LoadU(d, input + offsets[n] + v * kLanes), g, sums[n][v]);
      window += tile.input_step;
      at += w.step;
    }
  }
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n)
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
      hn::StoreU(sums[n][v], d, tile.sums + n * tile.sums_step + v * kLanes);
}

template <class T, int kN, int kV>
void spread(const SpreadTile<T>& tile) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  V sums[kN][kV];
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n)
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
      sums[n][v] = hn::LoadU(d, tile.output + tile.offsets[n] + v * kLanes);
  for (int64_t i = 0; i < tile.count; ++i) {
    const V g = hn::Set(d, tile.values[i]);
    const T* filter = tile.filter + tile.channels[i] * tile.filter_channel;
#pragma GCC unroll 16
    for (int n = 0; n < kN; ++n, filter += tile.filter_tap)
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v)
        sums[n][v] = hn::MulAdd(hn::LoadU(d, filter + v * kLanes), g, sums[n][v]);
  }
#pragma GCC unroll 16
  for (int n = 0; n < kN; ++n)
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
      hn::StoreU(sums[n][v], d, tile.output + tile.offsets[n] + v * kLanes);
}

template <bool kMasked, class D, class T = hn::TFromD<D>>
HWY_INLINE void add_some_values(D d, const WinnerRows<T>& w, int64_t channel, T* sums) {
  auto even = hn::LoadU(d, sums + channel), odd = hn::Zero(d);
  for (int64_t y = 0; y < w.rows; ++y) {
    int64_t at = y * w.row + channel, i = 0;
    for (; i + 2 <= w.columns; i += 2, at += 2 * w.step) {
      even = hn::Add(even, values_at<kMasked>(d, w, at));
      odd = hn::Add(odd, values_at<kMasked>(d, w, at + w.step));
    }
    if (i < w.columns) even = hn::Add(even, values_at<kMasked>(d, w, at));
  }
  hn::StoreU(hn::Add(even, odd), d, sums + channel);
}

template <bool kMasked, class T>
void add_all_values(const WinnerRows<T>& windows, int64_t channels, T* sums) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) add_some_values<kMasked>(d, windows, c, sums);
  for (; c < channels; ++c) add_some_values<kMasked>(hn::CappedTag<T, 1>(), windows, c, sums);
}

template <class T>
void add_values(const WinnerRows<T>& windows, int64_t channels, T* sums) {
  if (windows.mask != nullptr)
    add_all_values<true>(windows, channels, sums);
  else
    add_all_values<false>(windows, channels, sums);
}

template <class T>
void interleave(const T* const* rows, int64_t count, int64_t n, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  const auto at = [&](int k) { return hn::LoadU(d, rows[k] + i); };
  if (count == 2)
    for (; i + lanes <= n; i += lanes) hn::StoreInterleaved2(at(0), at(1), d, to + i * 2);
  if (count == 3)
    for (; i + lanes <= n; i += lanes) hn::StoreInterleaved3(at(0), at(1), at(2), d, to + i * 3);
  if (count == 4)
    for (; i + lanes <= n; i += lanes)
      hn::StoreInterleaved4(at(0), at(1), at(2), at(3), d, to + i * 4);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t j = i; j < n; ++j) to[j * count + k] = rows[k][j];
}

template <class T, int... kN>
void fill_permuted(WinnerTiles<T>& tiles, std::integer_sequence<int, kN...>) {
  ((tiles.permuted[0][kN] = permuted<T, kN + 1, 1>), ...);
  ((tiles.permuted[1][kN] = permuted<T, kN + 1, 2>), ...);
}
template <class T, int... kN>
void fill(WinnerTiles<T>& tiles, std::integer_sequence<int, kN...>) {
  ((tiles.by_channel[0][kN] = by_channel<T, kN + 1, 1>), ...);
  ((tiles.by_channel[1][kN] = by_channel<T, kN + 1, 2>), ...);
  ((tiles.spread[0][kN] = spread<T, kN + 1, 1>), ...);
  ((tiles.spread[1][kN] = spread<T, kN + 1, 2>), ...);
}

template <class T>
WinnerTiles<T> make() {
  WinnerTiles<T> tiles{};
  tiles.lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  tiles.permuted_terms = kPermutedTerms;
  tiles.terms = kTerms;
  fill_permuted(tiles, std::make_integer_sequence<int, kPermutedTerms>());
  fill(tiles, std::make_integer_sequence<int, kTerms>());
  tiles.add_values = add_values<T>;
  tiles.interleave = interleave<T>;
  return tiles;
}

WinnerTiles<float> FloatWinnerTiles() { return make<float>(); }
WinnerTiles<double> DoubleWinnerTiles() { return make<double>(); }

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(FloatWinnerTiles);
HWY_EXPORT(DoubleWinnerTiles);

template <>
const WinnerTiles<float>& winner_tiles() {
  static const WinnerTiles<float> best = HWY_DYNAMIC_DISPATCH(FloatWinnerTiles)();
  return best;
}
template <>
const WinnerTiles<double>& winner_tiles() {
  static const WinnerTiles<double> best = HWY_DYNAMIC_DISPATCH(DoubleWinnerTiles)();
  return best;
}

}  // namespace alula::cpu
#endif
