#pragma once
#include <algorithm>
#include <type_traits>

#include "alula/backends/cpu/conv2d_source.h"
#include "alula/backends/cpu/conv2d_tiles.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/team.h"

namespace alula::cpu {

/// The gradient of a convolution with respect to its filter.
///
/// The results are cut into parts, each with sums of its own, which are added up at the end. How
/// many parts there are does not depend on the number of threads, so that neither does the result.
/// Where parts are too few for the threads, the filter is shared out, too.
template <class S, class T>
class FilterCorrelator {
 public:
  explicit FilterCorrelator(const Correlation& correlation)
      : c_(correlation),
        depthwise_(c_.groups > 1 && c_.group_in == 1),
        source_(c_, depthwise_ ? c_.group_out : 1),
        out_channels_(c_.groups * c_.group_out),
        groups_(depthwise_ ? 1 : c_.groups),
        width_(depthwise_ ? out_channels_ : ceil_div(c_.group_out, tiles_.lanes) * tiles_.lanes),
        terms_(static_cast<int64_t>(c_.taps.size()) * c_.group_in),
        copies_(kConverts || width_ * groups_ != out_channels_),
        offsets_(terms_) {
    int64_t k = 0;
    for (const Tap& tap : c_.taps)
      for (int64_t c = 0; c < c_.group_in; ++c) offsets_[k++] = source_.offset(tap) + c;
  }

  /// `gradient(image, row, end, room)` returns rows [row, end) of the gradient of an image's
  /// results, which it may put into `room`; none is needed if `kInPlace`.
  template <bool kInPlace, class Gradient>
  void run(const S* input, const Gradient& gradient, S* filter) const {
    const int64_t row_bytes =
        (source_.result_row() + c_.columns * out_channels_) * static_cast<int64_t>(sizeof(T));
    const int64_t height = std::clamp<int64_t>(kStripBytes / std::max<int64_t>(row_bytes, 1), 1,
                                               std::max<int64_t>(c_.rows, 1));
    const int64_t strips = c_.batch * ceil_div(c_.rows, height);
    const int64_t size = groups_ * terms_ * width_;
    const int64_t fitting = kSumsBytes / (size * static_cast<int64_t>(sizeof(T)));
    const int64_t parts = std::clamp<int64_t>(std::min(strips, fitting), 1, kMostParts);
    const int64_t splits = std::clamp<int64_t>(4 * team::size() / parts, 1, tile_count());
    const double flops = 2 * static_cast<double>(c_.batch * c_.rows * c_.columns * out_channels_) *
                         static_cast<double>(terms_);

    const Scratch<T> sums(parts * size);
    team::parallel_for(
        parts * splits, kNanosecondsAFlop * flops / static_cast<double>(parts * splits),
        [&](int64_t begin, int64_t end) {
          const Scratch<T> source(source_.copy_size(height));
          const Scratch<T> copy(copies_ ? height * c_.columns * groups_ * width_ : 0);
          const Scratch<S> room(kInPlace ? 0 : height * c_.columns * out_channels_);
          for (int64_t i = begin; i < end; ++i) {
            const int64_t part = i / splits, split = i % splits;
            const Share share{.first_tile = split * tile_count() / splits,
                              .end_tile = (split + 1) * tile_count() / splits,
                              .sums = sums.data() + part * size};
            clear(share);
            for (int64_t s = part * strips / parts; s < (part + 1) * strips / parts; ++s) {
              const int64_t in_image = ceil_div(c_.rows, height);
              const int64_t image = s / in_image, row = s % in_image * height;
              const int64_t end_row = std::min(c_.rows, row + height);
              const T* strip = source_.strip(input, image, row, end_row, source.data());
              add_strip(share, strip, gradient(image, row, end_row, room.data()), end_row - row,
                        copy.data());
            }
          }
        });
    team::parallel_for(groups_ * terms_, 0.3 * static_cast<double>(parts * width_),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i)
                           write(i / terms_, i % terms_, sums.data(), size, parts, filter);
                       });
  }

 private:
  // Of input and gradient: what stays in the second cache.
  static constexpr int64_t kStripBytes = 256 << 10;
  static constexpr int64_t kSumsBytes = 32 << 20;  // of the partial sums of all parts
  static constexpr int64_t kMostParts = 16;
  static constexpr double kNanosecondsAFlop = 0.015;

  /// What a thread works on: some of the terms, and where their sums are.
  struct Share {
    int64_t first_tile, end_tile;
    T* sums;
  };

  int64_t tile_count() const { return ceil_div(terms_, tiles_.offsets); }
  int64_t first_term(int64_t tile) const { return tile * terms_ / tile_count(); }

  void clear(const Share& share) const {
    const int64_t first = first_term(share.first_tile), end = first_term(share.end_tile);
    for (int64_t g = 0; g < groups_; ++g)
      std::fill_n(share.sums + (g * terms_ + first) * width_, (end - first) * width_, T{0});
  }

  void add_strip(const Share& share, const T* source, const S* gradient, int64_t rows,
                 T* gradient_copy) const {
    const T* from = gradient_strip(gradient, rows * c_.columns, gradient_copy);
    const int64_t step = copies_ ? groups_ * width_ : out_channels_;
    FilterTile<T> tile{.input_step = source_.step(),
                       .input_row = source_.result_row(),
                       .gradient_step = step,
                       .gradient_row = step * c_.columns,
                       .rows = rows,
                       .columns = c_.columns,
                       .sums_step = width_};
    for (int64_t g = 0; g < groups_; ++g) {
      tile.input = source + g * c_.group_in;
      add_group(share, tile, from + g * width_, share.sums + g * terms_ * width_);
    }
  }

  /// The gradient as T, each group filled up with zeros to whole vectors.
  const T* gradient_strip(const S* gradient, int64_t pixels, T* copy) const {
    if constexpr (!kConverts)
      if (!copies_) return gradient;
    const int64_t used = depthwise_ ? out_channels_ : c_.group_out;
    if (used == width_) {
      convert(copy, gradient, pixels * out_channels_);
      return copy;
    }
    T* to = copy;
    for (int64_t i = 0; i < pixels * groups_; ++i, to += width_) {
      convert(to, gradient + i * used, used);
      std::fill(to + used, to + width_, T{0});
    }
    return copy;
  }

  void add_group(const Share& share, FilterTile<T>& tile, const T* gradient, T* sums) const {
    const int64_t panel = int64_t{FilterTiles<T>::kMostVectors} * tiles_.lanes;
    for (int64_t j = 0; j < width_; j += depthwise_ ? width_ : panel)
      for (int64_t i = share.first_tile; i < share.end_tile; ++i) {
        const int64_t first = first_term(i), count = first_term(i + 1) - first;
        tile.offsets = offsets_.data() + first;
        tile.gradient = gradient + j;
        tile.sums = sums + first * width_ + j;
        if (depthwise_)
          tiles_.depthwise[count - 1](tile, width_);
        else
          tiles_.outer[std::min(panel, width_ - j) / tiles_.lanes - 1][count - 1](tile);
      }
  }

  /// Adds up the parts' sums of one term.
  void write(int64_t group, int64_t k, T* sums, int64_t size, int64_t parts, S* filter) const {
    T* total = sums + (group * terms_ + k) * width_;
    for (int64_t part = 1; part < parts; ++part) {
      const T* more = total + part * size;
      for (int64_t j = 0; j < width_; ++j) total[j] += more[j];
    }
    S* to = filter + c_.taps[k / c_.group_in].filter + group * c_.filter_group +
            k % c_.group_in * c_.filter_in;
    convert(to, total, depthwise_ ? out_channels_ : c_.group_out);
  }

  static constexpr bool kConverts = !std::is_same_v<S, T>;
  const FilterTiles<T>& tiles_ = filter_tiles<T>();
  const Correlation& c_;
  bool depthwise_;
  Source<S, T> source_;
  int64_t out_channels_;
  int64_t groups_;  // 1 if depthwise
  int64_t width_;   // of a term's sums
  int64_t terms_;   // rows of a group's filter, seen as a matrix
  bool copies_;     // the gradient
  Scratch<int64_t> offsets_;
};

}  // namespace alula::cpu
