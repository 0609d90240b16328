#include <algorithm>

#include "alula/backends/cpu/pool2d_positions.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/pool2d_positions_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A window that lies in the image from `rows.from`, `columns.from` on.
template <class T>
struct OneWindow {
  const T* input;  // of its first element
  int64_t row, pixel;
  int64_t height, width;
  int64_t position;         // of its first element
  int64_t positions_a_row;  // of a whole window
};

/// The largest of some channels. kHeight, kWidth: the window's if they are known, else 0.
template <int kHeight, int kWidth, bool kPositions, class D, class T = hn::TFromD<D>>
HWY_INLINE void pool_channels(D d, const OneWindow<T>& w, int64_t channel, T* values,
                              uint8_t* positions) {
  const hn::RebindToUnsigned<D> du;
  using U = hn::TFromD<decltype(du)>;
  const int64_t height = kHeight == 0 ? w.height : kHeight;
  const int64_t width = kWidth == 0 ? w.width : kWidth;
  auto best = hn::LoadU(d, w.input + channel);
  auto winner = hn::Set(du, static_cast<U>(w.position));
#pragma GCC unroll 4
  for (int64_t y = 0; y < height; ++y)
#pragma GCC unroll 4
    for (int64_t x = 0; x < width; ++x) {
      if (y == 0 && x == 0) continue;
      const auto value = hn::LoadU(d, w.input + y * w.row + x * w.pixel + channel);
      // Larger, or the first NaN.
      const auto better = hn::AndNot(hn::Le(value, best), hn::Eq(best, best));
      best = hn::IfThenElse(better, value, best);
      if constexpr (kPositions) {
        const auto position = hn::Set(du, static_cast<U>(w.position + y * w.positions_a_row + x));
        winner = hn::IfThenElse(hn::RebindMask(du, better), position, winner);
      }
    }
  hn::StoreU(best, d, values + channel);
  if constexpr (kPositions) {
    const hn::Rebind<uint8_t, decltype(du)> d8;
    hn::StoreU(hn::TruncateTo(d8, winner), d8, positions + channel);
  }
}

template <int kHeight, int kWidth, bool kPositions, class T>
HWY_INLINE void pool_window(const OneWindow<T>& w, int64_t channels, T* values,
                            uint8_t* positions) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes)
    pool_channels<kHeight, kWidth, kPositions>(d, w, c, values, positions);
  if (c == channels) return;
  if (c > 0)  // some of them again
    return pool_channels<kHeight, kWidth, kPositions>(d, w, channels - lanes, values, positions);
  for (; c < channels; ++c)
    pool_channels<kHeight, kWidth, kPositions>(hn::CappedTag<T, 1>(), w, c, values, positions);
}

template <bool kPositions, class T>
void pool_rows(const PoolRows<T>& p) {
  const auto& [y, x] = p.windows;
  OneWindow<T> w{.pixel = p.channels, .positions_a_row = x.size};
  w.row = x.input * p.channels;
  T* values = p.values;
  uint8_t* positions = p.positions;
  for (int64_t i = p.begin; i < p.end; ++i) {
    const Inside rows = inside(y, i);
    for (int64_t j = 0; j < x.output; ++j) {
      const Inside columns = inside(x, j);
      w.input = p.input + (rows.from - p.first) * w.row + columns.from * w.pixel;
      w.height = rows.count();
      w.width = columns.count();
      w.position =
          (rows.from - i * y.stride + y.before) * x.size + columns.from - j * x.stride + x.before;
      if (w.height == 2 && w.width == 2)
        pool_window<2, 2, kPositions>(w, p.channels, values, positions);
      else
        pool_window<0, 0, kPositions>(w, p.channels, values, positions);
      values += p.channels;
      if constexpr (kPositions) positions += p.channels;
    }
  }
}

template <class T>
void pool_either(const PoolRows<T>& rows) {
  if (rows.positions != nullptr)
    pool_rows<true>(rows);
  else
    pool_rows<false>(rows);
}

/// Which channels won at `position`.
template <class D>
HWY_INLINE auto won_at(D d, const uint8_t* positions, int64_t position) {
  using U = hn::TFromD<hn::RebindToUnsigned<D>>;
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<uint32_t, D> d32;
  const hn::RebindToUnsigned<D> du;
  const auto narrow = hn::PromoteTo(d32, hn::LoadU(d8, positions));
  const auto at = [&] {
    if constexpr (sizeof(U) == 4)
      return narrow;
    else
      return hn::PromoteTo(du, narrow);
  }();
  return hn::RebindMask(d, hn::Eq(at, hn::Set(du, static_cast<U>(position))));
}

/// Adds the values of the windows that won at `position`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void add_won(D d, const T* values, const uint8_t* positions, int64_t position, T* to) {
  const auto won = won_at(d, positions, position);
  hn::StoreU(hn::Add(hn::LoadU(d, to), hn::IfThenElseZero(won, hn::LoadU(d, values))), d, to);
}

/// Takes the values of the windows that won at `position`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void take_won(D d, const T* values, const uint8_t* positions, int64_t position, T* to) {
  const auto won = won_at(d, positions, position);
  hn::StoreU(hn::IfThenElse(won, hn::LoadU(d, values), hn::LoadU(d, to)), d, to);
}

template <class T>
HWY_INLINE void add_all_won(const T* values, const uint8_t* positions, int64_t position, T* to,
                            int64_t channels) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) add_won(d, values + c, positions + c, position, to + c);
  for (; c < channels; ++c)
    add_won(hn::CappedTag<T, 1>(), values + c, positions + c, position, to + c);
}

template <class T>
void scatter(const ScatterRows<T>& s) {
  const auto& [y, x] = s.windows;
  const int64_t row = x.input * s.channels;
  std::fill_n(s.output, (s.end - s.begin) * row, T{0});
  // The windows that reach these rows.
  const int64_t before = s.begin + y.before - y.size + 1;
  const int64_t first = before <= 0 ? 0 : (before + y.stride - 1) / y.stride;
  const int64_t last = std::min(y.output, (s.end - 1 + y.before) / y.stride + 1);
  for (int64_t i = first; i < last; ++i) {
    const Inside rows = inside(y, i);
    for (int64_t j = 0; j < x.output; ++j) {
      const Inside columns = inside(x, j);
      const int64_t window = (i * x.output + j) * s.channels;
      for (int64_t r = std::max(rows.from, s.begin); r < std::min(rows.to, s.end); ++r)
        for (int64_t c = columns.from; c < columns.to; ++c)
          add_all_won(s.values + window, s.positions + window,
                      (r - i * y.stride + y.before) * x.size + c - j * x.stride + x.before,
                      s.output + (r - s.begin) * row + c * s.channels, s.channels);
    }
  }
}

template <class T>
void gather(const GatherRows<T>& g) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto& [y, x] = g.windows;
  const int64_t row = x.input * g.channels;
  T* to = g.values;
  const uint8_t* positions = g.positions;
  for (int64_t i = g.begin; i < g.end; ++i) {
    const Inside rows = inside(y, i);
    for (int64_t j = 0; j < x.output; ++j, to += g.channels, positions += g.channels) {
      const Inside columns = inside(x, j);
      for (int64_t r = rows.from; r < rows.to; ++r)
        for (int64_t c = columns.from; c < columns.to; ++c) {
          const T* from = g.input + r * row + c * g.channels;
          const int64_t position =
              (r - i * y.stride + y.before) * x.size + c - j * x.stride + x.before;
          int64_t k = 0;
          for (; k + lanes <= g.channels; k += lanes)
            take_won(d, from + k, positions + k, position, to + k);
          for (; k < g.channels; ++k)
            take_won(hn::CappedTag<T, 1>(), from + k, positions + k, position, to + k);
        }
    }
  }
}

void GatherFloats(const GatherRows<float>& rows) { gather(rows); }
void GatherDoubles(const GatherRows<double>& rows) { gather(rows); }
void PoolFloats(const PoolRows<float>& rows) { pool_either(rows); }
void PoolDoubles(const PoolRows<double>& rows) { pool_either(rows); }
void ScatterFloats(const ScatterRows<float>& rows) { scatter(rows); }
void ScatterDoubles(const ScatterRows<double>& rows) { scatter(rows); }

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(GatherFloats);
HWY_EXPORT(GatherDoubles);
HWY_EXPORT(PoolFloats);
HWY_EXPORT(PoolDoubles);
HWY_EXPORT(ScatterFloats);
HWY_EXPORT(ScatterDoubles);

void gather_rows(const GatherRows<float>& rows) { HWY_DYNAMIC_DISPATCH(GatherFloats)(rows); }
void gather_rows(const GatherRows<double>& rows) { HWY_DYNAMIC_DISPATCH(GatherDoubles)(rows); }
void max_pool_rows(const PoolRows<float>& rows) { HWY_DYNAMIC_DISPATCH(PoolFloats)(rows); }
void max_pool_rows(const PoolRows<double>& rows) { HWY_DYNAMIC_DISPATCH(PoolDoubles)(rows); }
void scatter_rows(const ScatterRows<float>& rows) { HWY_DYNAMIC_DISPATCH(ScatterFloats)(rows); }
void scatter_rows(const ScatterRows<double>& rows) { HWY_DYNAMIC_DISPATCH(ScatterDoubles)(rows); }

}  // namespace alula::cpu
#endif
