#pragma once
#include <algorithm>
#include <limits>
#include <type_traits>

#include <hwy/cache_control.h>

#include "alula/backends/cpu/conv2d_source.h"
#include "alula/backends/cpu/conv2d_tiles.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/team.h"

namespace alula::cpu {

/// How the sums are vectorised: over the results' channels; over the terms, where there are fewer
/// results than a vector holds; or channel by channel.
enum class Way : uint8_t { kSums, kDots, kDepthwise };

template <class T>
Way choose_way(const Correlation& c, const Tiles<T>& tiles) {
  if (c.groups > 1 && c.group_in == 1) return Way::kDepthwise;
  const bool few = c.group_out <= Tiles<T>::kMostDots && 2 * c.group_out <= tiles.lanes;
  return few && c.group_in % tiles.lanes == 0 ? Way::kDots : Way::kSums;
}

/// A convolution with its filter, which it packs. S is what tensors hold, T what is computed with.
template <class S, class T>
class Correlator {
 public:
  Correlator(const Correlation& correlation, const S* filter)
      : c_(correlation),
        way_(choose_way(c_, tiles_)),
        repeat_(way_ == Way::kDepthwise ? c_.group_out : 1),
        source_(c_, repeat_),
        out_channels_(c_.groups * c_.group_out),
        summed_(static_cast<int64_t>(c_.taps.size()) * c_.group_in),
        padded_(way_ == Way::kSums ? ceil_div(c_.group_out, tiles_.lanes) * tiles_.lanes
                                   : c_.group_out),
        packed_(c_.groups * summed_ * padded_),
        offsets_(summed_) {
    switch (way_) {
      case Way::kSums: pack(filter); break;
      case Way::kDots: pack_dots(filter); break;
      case Way::kDepthwise: pack_depthwise(filter); break;
    }
    set_offsets();
  }

  void run(const S* input, S* output) {
    const bool one_to_one = !source_.padded() && c_.taps.size() == 1 && c_.step_y == 1 &&
                            c_.step_x == 1 && c_.rows == c_.height && c_.columns == c_.width;
    const bool contiguous = c_.output_column == out_channels_ &&
                            c_.output_row == c_.columns * c_.output_column &&
                            c_.output_image == c_.rows * c_.output_row;
    if (!one_to_one || !contiguous) return run_images(input, output);
    // Neither rows nor images matter: cut the pixels into pieces of a good size.
    const int64_t pixels = c_.batch * c_.rows * c_.columns;
    const int64_t share = ceil_div(pixels, 4 * team::size());
    const int64_t piece = std::clamp<int64_t>(ceil_div(share, 12) * 12, 12, 192);
    const int64_t pieces = pixels / piece, done = pieces * piece;
    view_as_rows(pieces, piece);
    run_images(input, output);
    view_as_rows(1, pixels - done);
    run_images(input + done * c_.groups * c_.group_in, output + done * out_channels_);
  }

  /// How many elements `rows` needs for copying so many rows of results.
  int64_t copy_size(int64_t rows) const { return source_.copy_size(rows); }

  /// Some rows of an image's results, for a caller that shares out the work itself. Elements lie as
  /// the correlation says, the first row at `output`.
  void rows(const S* input, int64_t image, int64_t begin, int64_t end, T* copy, S* output) const
    requires std::is_same_v<S, T>
  {
    const Strip strip{
        .image = image, .row = begin, .end_row = end, .panel = 0, .end_panel = panels()};
    sum_strip(strip, source_.strip(input, image, begin, end, copy), output, c_.output_row,
              c_.output_column);
  }

  /// Whether `pooled_rows` can do this pooling: windows of 2x2 side by side, all within the image.
  bool can_pool(const Windows& pool) const {
    const auto plain = [](const Window& w) {
      return w.size == 2 && w.stride == 2 && w.before == 0 && 2 * w.output <= w.input;
    };
    return std::is_same_v<S, T> && std::is_floating_point_v<T> && way_ == Way::kSums &&
           summed_ <= kMostSummed && c_.group_out % tiles_.lanes == 0 && plain(pool.y) &&
           plain(pool.x);
  }

  /// What `pooled_rows` does to the values on the way: see PooledTile.
  struct Finish {
    const T* bias = nullptr;
    T least = -std::numeric_limits<T>::infinity();
  };

  /// Some rows of an image's max-pooled results, and the winners' positions if they are asked for.
  void pooled_rows(const S* input, int64_t image, int64_t begin, int64_t end, int64_t columns,
                   T* copy, S* values, uint8_t* positions, const Finish& finish) const
    requires std::is_same_v<S, T>
  {
    const T* source = source_.strip(input, image, 2 * begin, 2 * end, copy);
    PooledTile<T> tile{.input_step = source_.step(),
                       .input_row = source_.result_row(),
                       .offsets = offsets_.data(),
                       .count = summed_,
                       .step = out_channels_,
                       .bias = nullptr,
                       .least = finish.least};
    for (int64_t group = 0; group < c_.groups; ++group)
      for (int64_t panel = 0; panel < panels(); ++panel) {
        const int64_t first = panel * panel_width();
        const int64_t channels = std::min(panel_width(), c_.group_out - first);
        tile.filter = packed(group, 0, panel);
        if (finish.bias != nullptr) tile.bias = finish.bias + group * c_.group_out + first;
        for (int64_t y = 0; y < end - begin; ++y) {
          const int64_t to = y * columns * out_channels_ + group * c_.group_out + first;
          pool_row(tile, columns, channels,
                   source + 2 * y * source_.result_row() + group * c_.group_in, values + to,
                   positions == nullptr ? nullptr : positions + to);
        }
      }
  }

 private:
  // Of input and output: what stays in the second cache.
  static constexpr int64_t kStripBytes = 256 << 10;
  static constexpr int64_t kMostSummed = 1024;  // terms at a time, so that weights stay there, too
  static constexpr int64_t kStreamBytes = 32 << 20;  // results that no cache would hold
  static constexpr double kNanosecondsAFlop = 0.015;

  /// A thread's share of an image: some rows, and some panels of the filter.
  struct Strip {
    int64_t image;
    int64_t row, end_row;
    int64_t panel, end_panel;
    int64_t rows() const { return end_row - row; }
  };

  void view_as_rows(int64_t count, int64_t length) {
    c_.batch = count;
    c_.height = c_.rows = 1;
    c_.width = c_.columns = length;
    c_.output_image = c_.output_row = length * out_channels_;
  }

  int64_t panel_width() const { return int64_t{Tiles<T>::kMostVectors} * tiles_.lanes; }
  int64_t panels() const { return way_ == Way::kSums ? ceil_div(c_.group_out, panel_width()) : 1; }

  T weight(const S* filter, int64_t group, int64_t k, int64_t j) const {
    return static_cast<T>(filter[c_.taps[k / c_.group_in].filter + group * c_.filter_group +
                                 k % c_.group_in * c_.filter_in + j * c_.filter_out]);
  }

  /// For each group, for each kMostSummed terms, for each panel of result channels: the weights as
  /// a matrix [terms, channels], filled up with zeros to whole vectors.
  void pack(const S* filter) {
    team::parallel_for(c_.groups * panels(), static_cast<double>(summed_ * panel_width()) * 0.5,
                       [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i)
                           pack_panel(filter, i / panels(), i % panels());
                       });
  }

  void pack_panel(const S* filter, int64_t group, int64_t panel) {
    const int64_t first = panel * panel_width();
    const int64_t width = std::min(panel_width(), padded_ - first);
    const int64_t used = std::min(width, c_.group_out - first);
    for (int64_t k = 0; k < summed_; ++k) {
      const S* from = filter + c_.taps[k / c_.group_in].filter + group * c_.filter_group +
                      (k % c_.group_in) * c_.filter_in + first * c_.filter_out;
      const int64_t chunk = k / kMostSummed * kMostSummed;
      T* to = packed(group, chunk, panel) + (k - chunk) * width;
      for (int64_t j = 0; j < used; ++j) to[j] = static_cast<T>(from[j * c_.filter_out]);
      std::fill(to + used, to + width, T{0});
    }
  }

  T* packed(int64_t group, int64_t chunk, int64_t panel) const {
    const int64_t terms = std::min(kMostSummed, summed_ - chunk);
    return packed_.data() + (group * summed_ + chunk) * padded_ + panel * panel_width() * terms;
  }

  /// For each group, for each result channel: the weights of the terms.
  void pack_dots(const S* filter) {
    for (int64_t i = 0; i < out_channels_; ++i)
      for (int64_t k = 0; k < summed_; ++k)
        packed_[i * summed_ + k] = weight(filter, i / c_.group_out, k, i % c_.group_out);
  }

  /// For each tap, the weights of the channels.
  void pack_depthwise(const S* filter) {
    for (int64_t k = 0; k < summed_; ++k)
      for (int64_t j = 0; j < out_channels_; ++j)
        packed_[k * out_channels_ + j] = weight(filter, j / repeat_, k, j % repeat_);
  }

  /// Where the summed elements lie, seen from a window's first pixel.
  void set_offsets() {
    int64_t k = 0;
    for (const Tap& tap : c_.taps)
      for (int64_t c = 0; c < c_.group_in; ++c) offsets_[k++] = source_.offset(tap) + c;
  }

  void run_images(const S* input, S* output) {
    if (c_.batch == 0 || c_.rows == 0 || c_.columns == 0 || out_channels_ == 0) return;
    stream_ = can_stream(output);

    const int64_t row_bytes =
        (source_.result_row() + c_.columns * out_channels_) * static_cast<int64_t>(sizeof(T));
    const int64_t fitting = std::clamp<int64_t>(kStripBytes / row_bytes, 1, c_.rows);
    const int64_t wanted = 4 * team::size();  // a few strips for each thread
    const double image = kNanosecondsAFlop * 2 * static_cast<double>(summed_) *
                         static_cast<double>(c_.rows * c_.columns * out_channels_);
    const bool shared = image * static_cast<double>(c_.batch) > team::kWorthSharing;
    const int64_t least = shared ? std::min(ceil_div(wanted, c_.batch), c_.rows) : 1;
    const int64_t height = ceil_div(c_.rows, std::max(least, ceil_div(c_.rows, fitting)));
    const int64_t strips = ceil_div(c_.rows, height);
    const int64_t parts =
        shared ? std::clamp<int64_t>(wanted / (c_.batch * strips), 1, panels()) : 1;
    team::parallel_for(
        c_.batch * strips * parts, image / static_cast<double>(strips * parts),
        [&](int64_t begin, int64_t end) {
          const Scratch<T> copy(source_.copy_size(height));
          const Scratch<T> result(kConverts ? height * c_.columns * out_channels_ : 0);
          for (int64_t i = begin; i < end; ++i) {
            const int64_t part = i % parts, row = i / parts % strips * height;
            run_strip({.image = i / parts / strips,
                       .row = row,
                       .end_row = std::min(c_.rows, row + height),
                       .panel = part * panels() / parts,
                       .end_panel = (part + 1) * panels() / parts},
                      input, output, copy.data(), result.data());
          }
          if (stream_) hwy::FlushStream();
        });
  }

  bool can_stream(const S* output) const {
    constexpr int64_t kLine = 64;
    const auto aligned = [](int64_t elements) {
      return elements * static_cast<int64_t>(sizeof(T)) % kLine == 0;
    };
    return !kConverts && way_ == Way::kSums && summed_ <= kMostSummed && aligned(c_.group_out) &&
           aligned(c_.output_column) && aligned(c_.output_row) && aligned(c_.output_image) &&
           reinterpret_cast<uintptr_t>(output) % kLine == 0 &&
           c_.batch * c_.output_image * static_cast<int64_t>(sizeof(T)) > kStreamBytes;
  }

  void run_strip(const Strip& strip, const S* input, S* output, T* copy, T* result) const {
    const T* from = source_.strip(input, strip.image, strip.row, strip.end_row, copy);
    S* out = output + strip.image * c_.output_image + strip.row * c_.output_row;
    if constexpr (kConverts) {
      const int64_t row = c_.columns * out_channels_;
      sum_strip(strip, from, result, row, out_channels_);
      for (int64_t i = 0; i < strip.rows(); ++i)
        write_row(strip, result + i * row, out + i * c_.output_row);
    } else {
      sum_strip(strip, from, out, c_.output_row, c_.output_column);
    }
  }

  /// Rounds a row of results; only the channels of the strip's panels are there.
  void write_row(const Strip& strip, const T* from, S* to) const {
    const bool all = strip.panel == 0 && strip.end_panel == panels();
    if (all && c_.output_column == out_channels_)
      return convert(to, from, c_.columns * out_channels_);
    const int64_t first = strip.panel * panel_width();
    const int64_t count = std::min(strip.end_panel * panel_width(), c_.group_out) - first;
    for (int64_t x = 0; x < c_.columns; ++x)
      for (int64_t g = 0; g < c_.groups; ++g)
        convert(to + x * c_.output_column + g * c_.group_out + (all ? 0 : first),
                from + x * out_channels_ + g * c_.group_out + (all ? 0 : first),
                all ? c_.group_out : count);
  }

  void sum_strip(const Strip& strip, const T* source, T* out, int64_t out_row,
                 int64_t out_column) const {
    Tile<T> tile{.input_step = source_.step(),
                 .offsets = offsets_.data(),
                 .count = summed_,
                 .filter = packed_.data(),
                 .output_step = out_column,
                 .channels = out_channels_,
                 .stream = stream_};
    for (int64_t group = 0; group < (way_ == Way::kDepthwise ? 1 : c_.groups); ++group) {
      const T* from = source + group * c_.group_in;
      T* to = out + group * c_.group_out;
      if (way_ == Way::kSums) {
        sum_group(strip, tile, group, from, to, out_row);
        continue;
      }
      tile.filter = packed_.data() + group * c_.group_out * summed_;
      if (way_ == Way::kDots) tile.channels = c_.group_out;
      const auto run = way_ == Way::kDots ? tiles_.dots[c_.group_out - 1] : tiles_.depthwise;
      for (int64_t y = 0; y < strip.rows(); ++y) {
        tile.input = from + y * source_.result_row();
        tile.output = to + y * out_row;
        run(tile, c_.columns);
      }
    }
  }

  void sum_group(const Strip& strip, Tile<T>& tile, int64_t group, const T* source, T* out,
                 int64_t out_row) const {
    for (int64_t chunk = 0; chunk == 0 || chunk < summed_; chunk += kMostSummed)
      for (int64_t panel = strip.panel; panel < strip.end_panel; ++panel) {
        const int64_t first = panel * panel_width();
        tile.offsets = offsets_.data() + chunk;
        tile.count = std::min(kMostSummed, summed_ - chunk);
        tile.filter = packed(group, chunk, panel);
        tile.channels = std::min(panel_width(), c_.group_out - first);
        tile.accumulate = chunk > 0;
        for (int64_t y = 0; y < strip.rows(); ++y)
          sum_row(tile, source + y * source_.result_row(), out + y * out_row + first);
      }
  }

  /// A row of windows as tiles of about the same size.
  void pool_row(PooledTile<T>& tile, int64_t columns, int64_t channels, const T* source, T* values,
                uint8_t* positions) const {
    const int64_t count = ceil_div(columns, tiles_.windows);
    const auto& pools = tiles_.pooled[channels / tiles_.lanes - 1];
    for (int64_t i = 0, x = 0; i < count; ++i) {
      const int64_t windows = columns / count + (i < columns % count);
      tile.input = source + 2 * x * tile.input_step;
      tile.values = values + x * tile.step;
      tile.positions = positions == nullptr ? nullptr : positions + x * tile.step;
      pools[windows - 1](tile);
      x += windows;
    }
  }

  /// A row as tiles of about the same size.
  void sum_row(Tile<T>& tile, const T* source, T* out) const {
    const int64_t count = ceil_div(c_.columns, tiles_.pixels);
    const auto& sums = tiles_.sum[ceil_div(tile.channels, tiles_.lanes) - 1];
    for (int64_t i = 0, x = 0; i < count; ++i) {
      const int64_t pixels = c_.columns / count + (i < c_.columns % count);
      tile.input = source + x * tile.input_step;
      tile.output = out + x * tile.output_step;
      sums[pixels - 1](tile);
      x += pixels;
    }
  }

  static constexpr bool kConverts = !std::is_same_v<S, T>;
  const Tiles<T>& tiles_ = tiles<T>();
  Correlation c_;
  Way way_;
  int64_t repeat_;  // times that an input channel is copied to make as many as results
  Source<S, T> source_;
  int64_t out_channels_;
  int64_t summed_;  // terms of a sum
  int64_t padded_;  // a group's result channels, in whole vectors where that is asked for
  Scratch<T> packed_;
  Scratch<int64_t> offsets_;
  bool stream_ = false;
};

}  // namespace alula::cpu
