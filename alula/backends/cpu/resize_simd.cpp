// Resizing by weighted sums of neighbours: along one dimension, then along the other.
#include <algorithm>
#include <cstring>

#include "alula/backends/cpu/convert.h"
#include "alula/backends/cpu/resize.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/backends/cpu/targets.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/resize_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// to = a + (b - a) * share
template <class T>
HWY_INLINE void blend(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, T share, int64_t count,
                      T* HWY_RESTRICT to) {
  for (int64_t i = 0; i < count; ++i) to[i] = a[i] + (b[i] - a[i]) * share;
}

/// The weighted sum of rows, each `stride` after the one before.
template <class T>
void sum_rows(const T* HWY_RESTRICT rows, int64_t stride, const float* weights,
              const ResizeTaps& taps, int64_t count, T* HWY_RESTRICT to) {
  if (taps.blends) return blend<T>(rows, rows + stride, weights[1], count, to);
  const T first = weights[0];
  for (int64_t i = 0; i < count; ++i) to[i] = rows[i] * first;
  for (int64_t k = 1; k < taps.count; ++k) {
    const T weight = weights[k];
    if (weight == 0) continue;
    const T* HWY_RESTRICT row = rows + k * stride;
    for (int64_t i = 0; i < count; ++i) to[i] += row[i] * weight;
  }
}

/// The weighted sum of one position's pixels, at a vector of channels.
template <bool kBlends, class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> sum_pixels(D d, const T* pixels, int64_t channels, const float* weights,
                                 int64_t count) {
  const auto first = hn::LoadU(d, pixels);
  if constexpr (kBlends) {
    const auto second = hn::LoadU(d, pixels + channels);
    return hn::MulAdd(hn::Sub(second, first), hn::Set(d, T{weights[1]}), first);
  }
  auto sum = hn::Mul(first, hn::Set(d, T{weights[0]}));
  for (int64_t k = 1; k < count; ++k)
    sum = hn::MulAdd(hn::LoadU(d, pixels + k * channels), hn::Set(d, T{weights[k]}), sum);
  return sum;
}

/// Pixels of fewer channels than a vector has lanes: what is written beyond a pixel is overwritten
/// by the next one, and the last ones are written apart. kLanes: of that vector.
template <bool kBlends, size_t kLanes, class T>
int64_t sum_few_channels(const T* HWY_RESTRICT row, const ResizeTaps& taps, int64_t channels,
                         int64_t readable, T* HWY_RESTRICT to) {
  const hn::CappedTag<T, kLanes> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto positions = static_cast<int64_t>(taps.first.size());
  if (lanes < channels) return 0;
  int64_t i = 0;
  for (; (positions - i) * channels >= lanes; ++i) {
    const int64_t at = taps.first[static_cast<size_t>(i)] * channels;
    if (at + (taps.count - 1) * channels + lanes > readable) break;
    hn::StoreU(
        sum_pixels<kBlends>(d, row + at, channels, &taps.weights[i * taps.count], taps.count), d,
        to + i * channels);
  }
  return i;
}

/// One pixel, whatever its channels.
template <bool kBlends, class T>
void sum_pixel(const T* pixels, const float* weights, int64_t count, int64_t channels,
               T* HWY_RESTRICT to) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> d1;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes)
    hn::StoreU(sum_pixels<kBlends>(d, pixels + c, channels, weights, count), d, to + c);
  for (; c < channels; ++c)
    hn::StoreU(sum_pixels<kBlends>(d1, pixels + c, channels, weights, count), d1, to + c);
}

/// A row of the result from one of `width` pixels.
template <bool kBlends, class T>
void sum_columns_as(const T* HWY_RESTRICT row, int64_t width, const ResizeTaps& taps,
                    int64_t channels, T* HWY_RESTRICT to) {
  const auto positions = static_cast<int64_t>(taps.first.size());
  const int64_t readable = width * channels;
  int64_t i = 0;
  if (channels == 3 || channels == 4)
    i = sum_few_channels<kBlends, 4>(row, taps, channels, readable, to);
  else if (channels == 2)
    i = sum_few_channels<kBlends, 2>(row, taps, channels, readable, to);
  for (; i < positions; ++i)
    sum_pixel<kBlends>(row + taps.first[static_cast<size_t>(i)] * channels,
                       &taps.weights[i * taps.count], taps.count, channels, to + i * channels);
}

template <class T>
void sum_columns(const T* row, int64_t width, const ResizeTaps& taps, int64_t channels, T* to) {
  if (taps.blends)
    sum_columns_as<true>(row, width, taps, channels, to);
  else
    sum_columns_as<false>(row, width, taps, channels, to);
}

/// Rows of the result are made piece by piece. What is cheaper comes first: columns if that leaves
/// fewer rows of sums of columns to be made, else rows.
template <class T>
class Resampler {
 public:
  explicit Resampler(const Resampling& r)
      : r_(r),
        row_(r.width * r.channels),
        out_row_(r.out_width() * r.channels),
        columns_first_(r.height <= r.out_height()) {}

  /// The rows [begin, end) of all images' results.
  void run(int64_t begin, int64_t end) const {
    const int64_t height = r_.out_height();
    while (begin < end) {
      const int64_t image = begin / height, y = begin % height;
      const int64_t until = std::min(height, y + end - begin);
      for (int64_t from = y; from < until;) {
        const int64_t to = piece_from(from, until);
        make_piece(image, from, to);
        from = to;
      }
      begin += until - y;
    }
  }

 private:
  /// The rows of an image that some of the result's are made of.
  struct Rows {
    int64_t begin, end;
  };
  Rows needed(int64_t from, int64_t to) const {
    const auto first = r_.y.first.begin();
    return {*std::min_element(first + from, first + to),
            *std::max_element(first + from, first + to) + r_.y.count};
  }

  /// As many rows as keep what is between the steps in the cache.
  int64_t piece_from(int64_t from, int64_t until) const {
    constexpr int64_t kElements = 32 * 1024;
    const int64_t row = columns_first_ ? out_row_ + row_ : row_;
    int64_t to = from + 1;
    while (to < until) {
      const Rows rows = needed(from, to + 1);
      if ((rows.end - rows.begin) * row > kElements) break;
      ++to;
    }
    return to;
  }

  /// Rows of an image as numbers to compute with: where they are, or converted.
  const T* rows_of(int64_t image, Rows rows, T* converted) const {
    const int64_t start = (image * r_.height + rows.begin) * row_;
    if (!converts()) return static_cast<const T*>(r_.images) + start;
    with_type(r_.dtype, [&]<class S>(Type<S>) {
      convert(converted, static_cast<const S*>(r_.images) + start, (rows.end - rows.begin) * row_);
    });
    return converted;
  }

  bool converts() const { return r_.dtype != dtype_of<T>; }

  void make_piece(int64_t image, int64_t from, int64_t to) const {
    const Rows rows = needed(from, to);
    const int64_t count = rows.end - rows.begin;
    const Scratch<T> converted(converts() ? count * row_ : 0);
    const T* source = rows_of(image, rows, converted.data());
    T* out = static_cast<T*>(r_.result) + (image * r_.out_height() + from) * out_row_;
    const Scratch<T> between(columns_first_ ? count * out_row_ : row_);
    if (columns_first_)
      for (int64_t i = 0; i < count; ++i)
        sum_columns(source + i * row_, r_.width, r_.x, r_.channels, &between[i * out_row_]);
    for (int64_t y = from; y < to; ++y, out += out_row_) {
      const int64_t first = r_.y.first[static_cast<size_t>(y)] - rows.begin;
      const float* weights = &r_.y.weights[y * r_.y.count];
      if (columns_first_) {
        sum_rows(&between[first * out_row_], out_row_, weights, r_.y, out_row_, out);
        continue;
      }
      sum_rows(source + first * row_, row_, weights, r_.y, row_, between.data());
      sum_columns(between.data(), r_.width, r_.x, r_.channels, out);
    }
  }

  const Resampling& r_;
  int64_t row_, out_row_;  // elements of a row of the images, and of the result
  bool columns_first_;
};

void resample_rows(const Resampling& r, int64_t begin, int64_t end) {
  if (r.result_dtype == float64)
    Resampler<double>(r).run(begin, end);
  else
    Resampler<float>(r).run(begin, end);
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {
namespace {
HWY_EXPORT(resample_rows);
}  // namespace

void resample(const Resampling& r) {
  const int64_t rows = r.count * r.out_height();
  const auto work =
      static_cast<double>(r.channels * (r.out_width() * r.x.count + r.width * r.y.count));
  team::parallel_for(rows, 0.3 * work, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(resample_rows)(r, begin, end);
  });
}

}  // namespace alula::cpu
#endif
