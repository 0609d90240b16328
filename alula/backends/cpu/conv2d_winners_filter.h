#pragma once
#include <algorithm>
#include <vector>

#include "alula/backends/cpu/conv2d_source.h"
#include "alula/backends/cpu/conv2d_winners.h"
#include "alula/backends/cpu/pool2d_positions.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/team.h"

/// The gradient of a max-pooled convolution with respect to its filter.
namespace alula::cpu {

/// The winners of max pooling over a convolution's results.
template <class T>
struct Winners {
  Windows windows;   // of the pooling
  int64_t channels;  // of the convolution
  const T* values;   // none where a program makes them
  const uint8_t* positions;
  const T* mask = nullptr;  // see WinnerRows

  /// Elements from one row of windows, or image, to the next.
  int64_t row() const { return windows.x.output * channels; }
  int64_t image() const { return windows.y.output * row(); }

  /// An image's winners where they were, rows [begin, end) of the convolution's.
  void scatter(int64_t number, int64_t begin, int64_t end, T* to) const {
    scatter_rows(ScatterRows<T>{.windows = windows,
                                .channels = channels,
                                .begin = begin,
                                .end = end,
                                .values = values + number * image(),
                                .positions = positions + number * image(),
                                .output = to});
  }
};

/// Adds up `size` sums over units of work, which are cut into parts with sums of their own. How
/// many parts there are does not depend on the number of threads, so that neither does the result.
/// `add(begin, end, sums)` adds some units; the result is in `sums` when all are done.
template <class T, class F>
void sum_in_parts(int64_t units, int64_t parts, double nanoseconds, std::span<T> sums, int64_t size,
                  const F& add) {
  team::parallel_for(parts, nanoseconds / static_cast<double>(parts),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         T* own = sums.data() + i * size;
                         std::fill_n(own, size, T{0});
                         add(i * units / parts, (i + 1) * units / parts, own);
                       }
                     });
  team::parallel_for(size, 0.1 * static_cast<double>(parts), [&](int64_t begin, int64_t end) {
    for (int64_t part = 1; part < parts; ++part) {
      const T* more = sums.data() + part * size;
      for (int64_t j = begin; j < end; ++j) sums[j] += more[j];
    }
  });
}

inline constexpr int64_t kWinnersBytes = 24 << 10;  // of a chunk: what stays in the first cache
inline constexpr int64_t kMostWinnerParts = 16;
inline constexpr double kNanosecondsAWinnersFlop = 0.02;

/// For few input channels: see PermutedTile.
template <class T>
class PermutedFilter {
 public:
  PermutedFilter(const Conv2DShape& shape, const Winners<T>& winners) : s_(shape), w_(winners) {
    const auto& [y, x] = s_.windows;
    const auto& [pool_y, pool_x] = w_.windows;
    height_ = (pool_y.size - 1) * y.stride + y.extent();
    width_ = ((pool_x.output - 1) * pool_x.stride + pool_x.size - 1) * x.stride + x.extent();
    // Channels stay side by side if a window fits into a vector nevertheless.
    together_ = last_place(s_.in_channels) < tiles_.lanes;
    fits_ = s_.groups == 1 && (together_ || last_place(1) < tiles_.lanes);
    padded_ = ceil_div(w_.channels, tiles_.lanes) * tiles_.lanes;
    terms_ = s_.taps() * s_.in_channels;
  }

  /// Whether this is a way to compute it.
  bool fits() const { return fits_; }
  /// Whether the values may have a mask.
  bool can_mask() const { return !pads(); }

  /// `make(image, begin, end, to)` makes the values of some rows of windows if they are not there.
  /// `bias`: the sums of the values, if they are asked for.
  template <class F>
  void run(const T* input, T* filter, T* bias, const F& make) const {
    const std::vector<typename PermutedTile<T>::Place> places = make_places();
    const std::vector<int64_t> offsets = make_offsets();
    const int64_t rows = w_.windows.y.output;
    const int64_t row_bytes = (buffer_row() + w_.row()) * static_cast<int64_t>(sizeof(T));
    const int64_t chunk = std::clamp<int64_t>(kWinnersBytes / row_bytes, 1, rows);
    const int64_t chunks = ceil_div(rows, chunk), units = s_.batch * chunks;
    const int64_t parts = std::min(units, kMostWinnerParts), size = (terms_ + 1) * padded_;
    const Scratch<T> sums(parts * size);
    const double flops = 2 * static_cast<double>(s_.batch * w_.image() * terms_);
    sum_in_parts(units, parts, kNanosecondsAWinnersFlop * flops,
                 std::span<T>(sums.data(), static_cast<size_t>(parts * size)), size,
                 [&](int64_t begin, int64_t end, T* own) {
                   const Memory memory(*this, chunk);
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t first = i % chunks * chunk;
                     const int64_t last = std::min(rows, first + chunk);
                     if (w_.values == nullptr) make(i / chunks, first, last, memory.made.data());
                     add(input, i / chunks, first, last, memory, {places.data(), offsets.data()},
                         own);
                   }
                 });
    for (int64_t k = 0; k < terms_; ++k)
      std::copy_n(sums.data() + k * padded_, w_.channels, filter + k * w_.channels);
    if (bias != nullptr) std::copy_n(sums.data() + terms_ * padded_, w_.channels, bias);
  }

 private:
  /// A thread's.
  struct Memory {
    Memory(const PermutedFilter& f, int64_t chunk)
        : buffer(chunk * f.buffer_row() + f.tiles_.lanes),
          lines(f.height_ * f.line()),
          rows(f.height_ * f.planes()),
          made(f.w_.values == nullptr ? chunk * f.w_.row() : 0),
          values(f.pads() ? chunk * f.padded_row() : 0),
          positions(f.pads() ? chunk * f.padded_row() : 0) {
      std::fill_n(buffer.data() + chunk * f.buffer_row(), f.tiles_.lanes, T{0});
    }
    Scratch<T> buffer, lines;
    Scratch<const T*> rows;
    Scratch<T> made, values;
    Scratch<uint8_t> positions;
  };
  struct Lists {
    const typename PermutedTile<T>::Place* places;
    const int64_t* offsets;
  };

  int64_t line() const { return width_ * s_.in_channels; }  // elements of a padded input row
  int64_t buffer_row() const { return height_ * line(); }
  int64_t planes() const { return together_ ? 1 : s_.in_channels; }
  int64_t plane() const { return line() / planes(); }
  bool pads() const { return padded_ != w_.channels; }
  int64_t padded_row() const { return w_.windows.x.output * padded_; }
  /// Elements from one pixel to the next.
  int64_t pixel(int64_t channels) const { return channels * height_; }

  int64_t last_place(int64_t channels) const {
    const auto& [y, x] = s_.windows;
    return (w_.windows.x.size - 1) * x.stride * pixel(channels) +
           (w_.windows.y.size - 1) * y.stride;
  }

  std::vector<typename PermutedTile<T>::Place> make_places() const {
    const auto& [y, x] = s_.windows;
    std::vector<typename PermutedTile<T>::Place> places;
    for (int64_t i = 0; i < w_.windows.y.size; ++i)
      for (int64_t j = 0; j < w_.windows.x.size; ++j)
        places.push_back(static_cast<typename PermutedTile<T>::Place>(
            j * x.stride * pixel(s_.in_channels / planes()) + i * y.stride));
    places.resize(static_cast<size_t>(tiles_.lanes));
    return places;
  }

  std::vector<int64_t> make_offsets() const {
    const auto& [y, x] = s_.windows;
    std::vector<int64_t> offsets;
    for (int64_t i = 0; i < y.size; ++i)
      for (int64_t j = 0; j < x.size; ++j)
        for (int64_t c = 0; c < s_.in_channels; ++c) {
          const int64_t channel = together_ ? c * height_ : c * height_ * plane();
          offsets.push_back(j * x.dilation * pixel(s_.in_channels / planes()) + channel +
                            i * y.dilation);
        }
    return offsets;
  }

  void add(const T* input, int64_t image, int64_t begin, int64_t end, const Memory& memory,
           const Lists& lists, T* sums) const {
    for (int64_t i = begin; i < end; ++i)
      interleave(input, image, i, memory, memory.buffer.data() + (i - begin) * buffer_row());
    const auto& [pool_y, pool_x] = w_.windows;
    PermutedTile<T> tile{
        .windows = rows_of(image, begin, end, memory),
        .input = memory.buffer.data(),
        .input_step = pool_x.stride * s_.windows.x.stride * pixel(s_.in_channels / planes()),
        .input_row = buffer_row(),
        .places = lists.places,
        .offsets = nullptr,
        .sums = nullptr,
        .sums_step = padded_};
    const WinnerRows<T> all = tile.windows;
    tiles_.add_values(all, padded_, sums + terms_ * padded_);
    const int64_t tiles = ceil_div(terms_, tiles_.permuted_terms);
    const int64_t panel = int64_t{WinnerTiles<T>::kMostVectors} * tiles_.lanes;
    for (int64_t j = 0; j < padded_; j += panel)
      for (int64_t i = 0; i < tiles; ++i) {
        const int64_t first = i * terms_ / tiles, count = (i + 1) * terms_ / tiles - first;
        tile.windows.values = all.values + j;
        tile.windows.positions = all.positions + j;
        if (all.mask != nullptr) tile.windows.mask = all.mask + j;
        tile.offsets = lists.offsets + first;
        tile.sums = sums + first * padded_ + j;
        tiles_.permuted[std::min(panel, padded_ - j) / tiles_.lanes - 1][count - 1](tile);
      }
  }

  /// The winners of some rows, filled up to whole vectors.
  WinnerRows<T> rows_of(int64_t image, int64_t begin, int64_t end, const Memory& memory) const {
    const int64_t first = image * w_.image() + begin * w_.row(), columns = w_.windows.x.output;
    const T* from = w_.values == nullptr ? memory.made.data() : w_.values + first;
    if (!pads())
      return {.rows = end - begin,
              .columns = columns,
              .values = from,
              .positions = w_.positions + first,
              .step = w_.channels,
              .row = w_.row(),
              .mask = w_.mask == nullptr ? nullptr : w_.mask + first};
    for (int64_t i = 0; i < (end - begin) * columns; ++i) {
      T* values = memory.values.data() + i * padded_;
      uint8_t* positions = memory.positions.data() + i * padded_;
      std::copy_n(from + i * w_.channels, w_.channels, values);
      std::copy_n(w_.positions + first + i * w_.channels, w_.channels, positions);
      std::fill(values + w_.channels, values + padded_, T{0});
      std::fill(positions + w_.channels, positions + padded_, uint8_t{0});
    }
    return {end - begin, columns,     memory.values.data(), memory.positions.data(),
            padded_,     padded_row()};
  }

  /// The input rows that one row of windows needs, side by side.
  void interleave(const T* input, int64_t image, int64_t row, const Memory& memory, T* to) const {
    const auto& [y, x] = s_.windows;
    const auto& [pool_y, pool_x] = w_.windows;
    const int64_t top = (row * pool_y.stride - pool_y.before) * y.stride - y.before;
    const int64_t left = -pool_x.before * x.stride - x.before;
    const int64_t channels = s_.in_channels;
    const bool whole = left >= 0 && left + width_ <= x.input && together_;
    for (int64_t i = 0; i < height_; ++i) {
      T* line = memory.lines.data() + i * this->line();
      const bool inside = top + i >= 0 && top + i < y.input;
      const T* from = input + ((image * y.input + top + i) * x.input + left) * channels;
      if (whole && inside) {
        memory.rows[i] = from;
        continue;
      }
      fill_line(inside ? from : nullptr, left, line);
      for (int64_t p = 0; p < planes(); ++p) memory.rows[p * height_ + i] = line + p * plane();
    }
    for (int64_t p = 0; p < planes(); ++p)
      tiles_.interleave(memory.rows.data() + p * height_, height_, plane(),
                        to + p * height_ * plane());
  }

  /// A row of the input with zeros around it, channel by channel if they are apart.
  void fill_line(const T* from, int64_t left, T* line) const {
    std::fill_n(line, this->line(), T{0});
    if (from == nullptr) return;
    const int64_t begin = std::clamp<int64_t>(-left, 0, width_);
    const int64_t end = std::clamp<int64_t>(s_.windows.x.input - left, begin, width_);
    const int64_t channels = s_.in_channels;
    if (together_) {
      std::copy(from + begin * channels, from + end * channels, line + begin * channels);
      return;
    }
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = begin; i < end; ++i) line[c * width_ + i] = from[i * channels + c];
  }

  const WinnerTiles<T>& tiles_ = winner_tiles<T>();
  const Conv2DShape& s_;
  const Winners<T>& w_;
  int64_t height_ = 0, width_ = 0;  // of the input that a row of windows looks at
  bool together_ = false, fits_ = false;
  int64_t padded_ = 0;  // the convolution's channels, in whole vectors
  int64_t terms_ = 0;   // rows of the filter, seen as a matrix
};

/// For whole vectors of input channels: see ChannelTile.
template <class T>
class ChannelFilter {
 public:
  ChannelFilter(const Conv2DShape& shape, const Correlation& correlation, const Winners<T>& winners)
      : s_(shape), source_(correlation, 1), w_(winners) {
    for (const Tap& tap : correlation.taps) offsets_.push_back(source_.offset(tap));
    const auto& [y, x] = w_.windows;
    for (int64_t i = 0; i < y.size; ++i)
      for (int64_t j = 0; j < x.size; ++j)
        places_.push_back(i * source_.result_row() + j * source_.step());
  }

  bool fits() const { return s_.groups == 1 && s_.in_channels % tiles_.lanes == 0; }

  void run(const T* input, T* filter, T* bias) const {
    const int64_t terms = s_.taps() * s_.in_channels, size = (terms + 1) * w_.channels;
    const int64_t rows = w_.windows.y.output;
    const int64_t row_bytes =
        (w_.windows.y.stride * source_.result_row() + w_.row()) * static_cast<int64_t>(sizeof(T));
    const int64_t chunk = std::clamp<int64_t>(kWinnersBytes / row_bytes, 1, rows);
    const int64_t chunks = ceil_div(rows, chunk), units = s_.batch * chunks;
    const int64_t parts = std::clamp<int64_t>(s_.batch / 4, 1, kMostWinnerParts);
    const Scratch<T> sums(parts * size);
    const double flops = 2 * static_cast<double>(s_.batch * w_.image() * terms);
    sum_in_parts(units, parts, kNanosecondsAWinnersFlop * flops,
                 std::span<T>(sums.data(), static_cast<size_t>(parts * size)), size,
                 [&](int64_t begin, int64_t end, T* own) {
                   const Scratch<T> copy(source_.copy_size(source_rows(chunk)));
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t first = i % chunks * chunk;
                     add(input, i / chunks, first, std::min(rows, first + chunk), copy.data(), own);
                   }
                 });
    if (bias != nullptr) std::copy_n(sums.data() + terms * w_.channels, w_.channels, bias);
    for (int64_t k = 0; k < terms; ++k)
      for (int64_t c = 0; c < w_.channels; ++c) filter[k * w_.channels + c] = sums[c * terms + k];
  }

 private:
  int64_t source_rows(int64_t rows) const {
    return (rows - 1) * w_.windows.y.stride + w_.windows.y.size;
  }

  void add(const T* input, int64_t image, int64_t begin, int64_t end, T* copy, T* sums) const {
    const auto& [y, x] = w_.windows;
    const int64_t from = inside(y, begin).from, to = inside(y, end - 1).to;
    const int64_t first = image * w_.image() + begin * w_.row();
    const T* strip = source_.strip(input, image, from, to, copy);
    const int64_t start =
        (begin * y.stride - y.before - from) * source_.result_row() - x.before * source_.step();
    ChannelTile<T> tile{.windows = {end - begin, x.output, nullptr, nullptr, w_.channels, w_.row()},
                        .input = nullptr,
                        .input_step = x.stride * source_.step(),
                        .input_row = y.stride * source_.result_row(),
                        .places = places_.data(),
                        .offsets = nullptr,
                        .sums = nullptr,
                        .sums_step = s_.in_channels};
    const int64_t taps = s_.taps(), tiles = ceil_div(taps, tiles_.terms);
    const int64_t panel = int64_t{WinnerTiles<T>::kMostVectors} * tiles_.lanes;
    tile.windows.values = w_.values + first;
    tiles_.add_values(tile.windows, w_.channels, sums + taps * s_.in_channels * w_.channels);
    for (int64_t c = 0; c < w_.channels; ++c)
      for (int64_t j = 0; j < s_.in_channels; j += panel)
        for (int64_t i = 0; i < tiles; ++i) {
          const int64_t tap = i * taps / tiles, count = (i + 1) * taps / tiles - tap;
          tile.windows.values = w_.values + first + c;
          tile.windows.positions = w_.positions + first + c;
          tile.input = strip + start + j;
          tile.offsets = offsets_.data() + tap;
          tile.sums = sums + (c * taps + tap) * s_.in_channels + j;
          tiles_.by_channel[std::min(panel, s_.in_channels - j) / tiles_.lanes - 1][count - 1](
              tile);
        }
  }

  const WinnerTiles<T>& tiles_ = winner_tiles<T>();
  const Conv2DShape& s_;
  Source<T, T> source_;
  const Winners<T>& w_;
  std::vector<int64_t> offsets_, places_;
};

}  // namespace alula::cpu
