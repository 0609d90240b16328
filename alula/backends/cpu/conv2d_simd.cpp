#include <cstring>
#include <utility>

#include "alula/backends/cpu/conv2d_tiles.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/conv2d_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// As many sums as the registers hold beside two vectors of weights and one element of the input.
constexpr int kPixels = HWY_MAX_BYTES == 64 ? 12 : 6;
constexpr int kVectors = 2;

template <class V>
HWY_INLINE V multiply_add(V a, V b, V c) {
  if constexpr (hwy::IsFloat<hn::TFromV<V>>())
    return hn::MulAdd(a, b, c);
  else
    return hn::Add(hn::Mul(a, b), c);
}

/// Loads or stores the first `count` elements of a vector.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_some(D d, const T* from, int64_t count) {
  if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::LoadU(d, from);
  HWY_ALIGN T all[hn::MaxLanes(d)] = {};
  std::memcpy(all, from, count * sizeof(T));
  return hn::Load(d, all);
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_some(D d, hn::Vec<D> v, T* to, int64_t count) {
  if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::StoreU(v, d, to);
  HWY_ALIGN T all[hn::MaxLanes(d)];
  hn::Store(v, d, all);
  std::memcpy(to, all, count * sizeof(T));
}

template <class T, int kP, int kV>
void sum(const Tile<T>& tile) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t last = tile.channels - (kV - 1) * kLanes;
  const int64_t step = tile.output_step;
  V sums[kP][kV];
  if (tile.accumulate) {
    for (int p = 0; p < kP; ++p)
      for (int v = 0; v < kV; ++v)
        sums[p][v] = load_some(d, tile.output + p * step + v * kLanes, v + 1 < kV ? kLanes : last);
  } else {
#pragma GCC unroll 16
    for (int p = 0; p < kP; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v) sums[p][v] = hn::Zero(d);
  }

  const T* filter = tile.filter;
  const int64_t* const offsets = tile.offsets;
  const int64_t count = tile.count, next = tile.input_step;
  for (int64_t k = 0; k < count; ++k, filter += kV * kLanes) {
    const T* input = tile.input + offsets[k];
    V weights[kV];
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v) weights[v] = hn::LoadU(d, filter + v * kLanes);
#pragma GCC unroll 16
    for (int p = 0; p < kP; ++p, input += next) {
      const V x = hn::Set(d, *input);
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v) sums[p][v] = multiply_add(x, weights[v], sums[p][v]);
    }
  }

  if (tile.stream) {
#pragma GCC unroll 16
    for (int p = 0; p < kP; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v) hn::Stream(sums[p][v], d, tile.output + p * step + v * kLanes);
  } else if (last == kLanes) {
#pragma GCC unroll 16
    for (int p = 0; p < kP; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v) hn::StoreU(sums[p][v], d, tile.output + p * step + v * kLanes);
  } else {
#pragma GCC unroll 16
    for (int p = 0; p < kP; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < kV; ++v)
        store_some(d, sums[p][v], tile.output + p * step + v * kLanes, v + 1 < kV ? kLanes : last);
  }
}

/// The largest of four and its position: the first of equal ones, or the first NaN.
template <class D, class V = hn::Vec<D>, class U = hn::Vec<hn::RebindToUnsigned<D>>>
HWY_INLINE void find_winner(D d, const V (&of)[4], V& value, U& position) {
  const hn::RebindToUnsigned<D> du;
  const auto number = [&](unsigned i) {
    return hn::Set(du, static_cast<hn::TFromD<decltype(du)>>(i));
  };
  const auto choose = [&](auto mask, U yes, U no) {
    return hn::IfThenElse(hn::RebindMask(du, mask), yes, no);
  };
  const auto numbers = hn::And(hn::Eq(hn::Add(of[0], of[1]), hn::Add(of[0], of[1])),
                               hn::Eq(hn::Add(of[2], of[3]), hn::Add(of[2], of[3])));
  if (HWY_LIKELY(hn::AllTrue(d, numbers))) {
    const auto top = hn::Gt(of[1], of[0]), bottom = hn::Gt(of[3], of[2]);
    const V upper = hn::IfThenElse(top, of[1], of[0]), lower = hn::IfThenElse(bottom, of[3], of[2]);
    const auto below = hn::Gt(lower, upper);
    value = hn::IfThenElse(below, lower, upper);
    position =
        choose(below, choose(bottom, number(3), number(2)), choose(top, number(1), number(0)));
    return;
  }
  value = of[0];
  position = number(0);
  for (unsigned i = 1; i < 4; ++i) {
    const auto better = hn::AndNot(hn::Le(of[i], value), hn::Eq(value, value));
    value = hn::IfThenElse(better, of[i], value);
    position = choose(better, number(i), position);
  }
}

template <class T, int kW, int kV>
void pooled(const PooledTile<T>& tile) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint8_t, decltype(du)> d8;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  V sums[kW][kV][4];
#pragma GCC unroll 4
  for (int w = 0; w < kW; ++w)
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v)
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) sums[w][v][i] = hn::Zero(d);

  const V least = hn::Set(d, tile.least);
  const T* filter = tile.filter;
  const int64_t step = tile.input_step, row = tile.input_row;
  for (int64_t k = 0; k < tile.count; ++k, filter += kV * kLanes) {
    const T* input = tile.input + tile.offsets[k];
    V weights[kV];
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v) weights[v] = hn::LoadU(d, filter + v * kLanes);
#pragma GCC unroll 4
    for (int w = 0; w < kW; ++w, input += 2 * step)
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const V x = hn::Set(d, input[i / 2 * row + i % 2 * step]);
#pragma GCC unroll 4
        for (int v = 0; v < kV; ++v) sums[w][v][i] = hn::MulAdd(x, weights[v], sums[w][v][i]);
      }
  }

#pragma GCC unroll 4
  for (int w = 0; w < kW; ++w)
#pragma GCC unroll 4
    for (int v = 0; v < kV; ++v) {
      V value;
      hn::Vec<decltype(du)> position;
      find_winner(d, sums[w][v], value, position);
      if (tile.bias != nullptr) value = hn::Add(value, hn::LoadU(d, tile.bias + v * kLanes));
      value = hn::IfThenElse(hn::Lt(value, least), least, value);  // NaN stays
      hn::StoreU(value, d, tile.values + w * tile.step + v * kLanes);
      if (tile.positions != nullptr)
        hn::StoreU(hn::TruncateTo(d8, position), d8, tile.positions + w * tile.step + v * kLanes);
    }
}

/// One vector of channels of kP pixels.
template <int kP, class D, class T = hn::TFromD<D>>
HWY_INLINE void depthwise_some(D d, const Tile<T>& tile, int64_t pixel, int64_t channel) {
  hn::Vec<D> sums[kP];
#pragma GCC unroll 8
  for (int p = 0; p < kP; ++p) sums[p] = hn::Zero(d);
  const T* const first = tile.input + pixel * tile.input_step + channel;
  const T* filter = tile.filter + channel;
  for (int64_t k = 0; k < tile.count; ++k, filter += tile.channels) {
    const auto weights = hn::LoadU(d, filter);
    const T* input = first + tile.offsets[k];
#pragma GCC unroll 8
    for (int p = 0; p < kP; ++p, input += tile.input_step)
      sums[p] = multiply_add(hn::LoadU(d, input), weights, sums[p]);
  }
  T* const output = tile.output + pixel * tile.output_step + channel;
#pragma GCC unroll 8
  for (int p = 0; p < kP; ++p) hn::StoreU(sums[p], d, output + p * tile.output_step);
}

template <class D, class T = hn::TFromD<D>>
void depthwise_channels(D d, const Tile<T>& tile, int64_t pixels, int64_t channel) {
  constexpr int kAtOnce = 8;
  int64_t p = 0;
  for (; p + kAtOnce <= pixels; p += kAtOnce) depthwise_some<kAtOnce>(d, tile, p, channel);
  for (; p + 2 <= pixels; p += 2) depthwise_some<2>(d, tile, p, channel);
  for (; p < pixels; ++p) depthwise_some<1>(d, tile, p, channel);
}

template <class T>
void depthwise(const Tile<T>& tile, int64_t pixels) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= tile.channels; c += lanes) depthwise_channels(d, tile, pixels, c);
  if (c == tile.channels) return;
  if (c > 0)
    return depthwise_channels(d, tile, pixels, tile.channels - lanes);  // some of them again
  for (; c < tile.channels; ++c) depthwise_channels(hn::CappedTag<T, 1>(), tile, pixels, c);
}

/// kC results of each of kP pixels.
template <int kP, int kC, class T>
HWY_INLINE void dots_some(const Tile<T>& tile, int64_t pixel) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[kP][kC];
#pragma GCC unroll 8
  for (int p = 0; p < kP; ++p)
#pragma GCC unroll 4
    for (int c = 0; c < kC; ++c) sums[p][c] = hn::Zero(d);
  const T* const first = tile.input + pixel * tile.input_step;
  for (int64_t k = 0; k < tile.count; k += lanes) {
    hn::Vec<decltype(d)> weights[kC];
#pragma GCC unroll 4
    for (int c = 0; c < kC; ++c) weights[c] = hn::LoadU(d, tile.filter + c * tile.count + k);
    const T* input = first + tile.offsets[k];
#pragma GCC unroll 8
    for (int p = 0; p < kP; ++p, input += tile.input_step) {
      const auto x = hn::LoadU(d, input);
#pragma GCC unroll 4
      for (int c = 0; c < kC; ++c) sums[p][c] = multiply_add(x, weights[c], sums[p][c]);
    }
  }
  T* output = tile.output + pixel * tile.output_step;
#pragma GCC unroll 8
  for (int p = 0; p < kP; ++p, output += tile.output_step)
#pragma GCC unroll 4
    for (int c = 0; c < kC; ++c) output[c] = hn::GetLane(hn::SumOfLanes(d, sums[p][c]));
}

template <class T, int kC>
void dots(const Tile<T>& tile, int64_t pixels) {
  constexpr int kMost = kPixels * kVectors / kC;
  constexpr int kAtOnce = kMost < 8 ? kMost : 8;
  int64_t p = 0;
  for (; p + kAtOnce <= pixels; p += kAtOnce) dots_some<kAtOnce, kC>(tile, p);
  for (; p < pixels; ++p) dots_some<1, kC>(tile, p);
}

template <class T, int kV, int... kP>
void fill(Tiles<T>& tiles, std::integer_sequence<int, kP...>) {
  ((tiles.sum[kV - 1][kP] = sum<T, kP + 1, kV>), ...);
}

template <class T, int kV, int... kW>
void fill_pooled(Tiles<T>& tiles, std::integer_sequence<int, kW...>) {
  ((tiles.pooled[kV - 1][kW] = pooled<T, kW + 1, kV>), ...);
}

template <class T>
Tiles<T> make() {
  Tiles<T> tiles{};
  tiles.lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  tiles.pixels = kPixels;
  fill<T, 1>(tiles, std::make_integer_sequence<int, kPixels>());
  fill<T, 2>(tiles, std::make_integer_sequence<int, kPixels>());
  tiles.windows = kPixels / 4;
  if constexpr (hwy::IsFloat<T>()) {
    fill_pooled<T, 1>(tiles, std::make_integer_sequence<int, kPixels / 4>());
    fill_pooled<T, 2>(tiles, std::make_integer_sequence<int, kPixels / 4>());
  }
  tiles.depthwise = depthwise<T>;
  tiles.dots = {dots<T, 1>, dots<T, 2>, dots<T, 3>, dots<T, 4>};
  return tiles;
}

Tiles<float> FloatTiles() { return make<float>(); }
Tiles<double> DoubleTiles() { return make<double>(); }
Tiles<int32_t> IntTiles() { return make<int32_t>(); }

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(FloatTiles);
HWY_EXPORT(DoubleTiles);
HWY_EXPORT(IntTiles);

template <>
const Tiles<float>& tiles() {
  static const Tiles<float> best = HWY_DYNAMIC_DISPATCH(FloatTiles)();
  return best;
}
template <>
const Tiles<double>& tiles() {
  static const Tiles<double> best = HWY_DYNAMIC_DISPATCH(DoubleTiles)();
  return best;
}
template <>
const Tiles<int32_t>& tiles() {
  static const Tiles<int32_t> best = HWY_DYNAMIC_DISPATCH(IntTiles)();
  return best;
}

}  // namespace alula::cpu
#endif
