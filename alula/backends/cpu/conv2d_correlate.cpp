#include <algorithm>
#include <type_traits>

#include <hwy/cache_control.h>

#include "alula/backends/cpu/conv2d.h"
#include "alula/backends/cpu/conv2d_tiles.h"
#include "alula/backends/cpu/convert.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

constexpr int64_t kStripBytes = 256 << 10;  // of input and output: what stays in the second cache
constexpr int64_t kMostSummed = 1024;  // terms at a time, so that their weights stay there, too
constexpr int64_t kStreamBytes = 32 << 20;  // results that no cache would hold until they are read
constexpr double kNanosecondsAFlop = 0.015;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// S is what tensors hold, T what is computed with.
template <class S, class T>
class Correlator {
 public:
  Correlator(const Correlation& correlation, const S* filter)
      : c_(correlation),
        depthwise_(c_.groups > 1 && c_.group_in == 1),
        repeat_(depthwise_ ? c_.group_out : 1),
        in_channels_(c_.groups * c_.group_in),
        channels_(in_channels_ * repeat_),
        out_channels_(c_.groups * c_.group_out),
        summed_(static_cast<int64_t>(c_.taps.size()) * c_.group_in),
        padded_(ceil_div(c_.group_out, tiles_.lanes) * tiles_.lanes),
        packed_(depthwise_ ? summed_ * channels_ : c_.groups * summed_ * padded_),
        offsets_(summed_) {
    find_bounds();
    depthwise_ ? pack_depthwise(filter) : pack(filter);
  }

  void run(const S* input, S* output) {
    const bool one_to_one = !outside_ && c_.taps.size() == 1 && c_.step_y == 1 && c_.step_x == 1 &&
                            c_.rows == c_.height && c_.columns == c_.width;
    const bool contiguous = c_.output_column == out_channels_ &&
                            c_.output_row == c_.columns * c_.output_column &&
                            c_.output_image == c_.rows * c_.output_row;
    if (!one_to_one || !contiguous) return run_images(input, output);
    // Neither rows nor images matter: cut the pixels into pieces of a good size.
    const int64_t pixels = c_.batch * c_.rows * c_.columns;
    const int64_t share = ceil_div(pixels, 4 * team::size());
    const int64_t piece = std::clamp<int64_t>(ceil_div(share, 12) * 12, 12, 192);
    const int64_t pieces = pixels / piece;
    view_as_rows(pieces, piece);
    run_images(input, output);
    view_as_rows(1, pixels - pieces * piece);
    run_images(input + pieces * piece * in_channels_, output + pieces * piece * out_channels_);
  }

 private:
  /// A thread's share of an image: some rows, and some panels of the filter.
  struct Strip {
    int64_t image;
    int64_t row, end_row;
    int64_t panel, end_panel;
  };

  void view_as_rows(int64_t count, int64_t length) {
    c_.batch = count;
    c_.height = c_.rows = 1;
    c_.width = c_.columns = length;
    c_.output_image = c_.output_row = length * out_channels_;
  }

  void find_bounds() {
    if (c_.taps.empty()) return;
    top_ = bottom_ = c_.taps[0].y;
    left_ = right_ = c_.taps[0].x;
    for (const Tap& tap : c_.taps) {
      top_ = std::min(top_, tap.y);
      bottom_ = std::max(bottom_, tap.y);
      left_ = std::min(left_, tap.x);
      right_ = std::max(right_, tap.x);
    }
    outside_ = top_ < 0 || left_ < 0 || (c_.rows - 1) * c_.step_y + bottom_ >= c_.height ||
               (c_.columns - 1) * c_.step_x + right_ >= c_.width;
  }

  int64_t panel_width() const { return int64_t{Tiles<T>::kMostVectors} * tiles_.lanes; }
  int64_t panels() const { return depthwise_ ? 1 : ceil_div(c_.group_out, panel_width()); }

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

  void pack_depthwise(const S* filter) {
    for (int64_t k = 0; k < summed_; ++k)
      for (int64_t j = 0; j < channels_; ++j)
        packed_[k * channels_ + j] =
            static_cast<T>(filter[c_.taps[k].filter + j / repeat_ * c_.filter_group +
                                  j % repeat_ * c_.filter_out]);
  }

  /// Where the summed elements lie, seen from a window's first pixel.
  void set_offsets() {
    int64_t k = 0;
    for (const Tap& tap : c_.taps)
      for (int64_t c = 0; c < c_.group_in; ++c)
        offsets_[k++] = (tap.y - top_) * source_row_ + (tap.x - left_) * channels_ + c;
  }

  void run_images(const S* input, S* output) {
    if (c_.batch == 0 || c_.rows == 0 || c_.columns == 0 || out_channels_ == 0) return;
    copy_ = outside_ || repeat_ > 1 || !std::is_same_v<S, T>;
    source_width_ = (c_.columns - 1) * c_.step_x + right_ - left_ + 1;
    source_row_ = (copy_ ? source_width_ : c_.width) * channels_;
    set_offsets();
    stream_ = can_stream(output);

    const int64_t row_bytes =
        (c_.step_y * source_row_ + c_.columns * out_channels_) * static_cast<int64_t>(sizeof(T));
    const int64_t fitting = std::clamp<int64_t>(kStripBytes / row_bytes, 1, c_.rows);
    const int64_t wanted = 4 * team::size();  // a few strips for each thread
    const double image = 2e-9 * static_cast<double>(c_.rows * c_.columns * out_channels_) *
                         static_cast<double>(summed_) * 1e9 * kNanosecondsAFlop;
    const bool shared = image * static_cast<double>(c_.batch) > team::kWorthSharing;
    const int64_t least = shared ? std::min(ceil_div(wanted, c_.batch), c_.rows) : 1;
    const int64_t height = ceil_div(c_.rows, std::max(least, ceil_div(c_.rows, fitting)));
    const int64_t strips = ceil_div(c_.rows, height);
    const int64_t parts =
        shared ? std::clamp<int64_t>(wanted / (c_.batch * strips), 1, panels()) : 1;
    team::parallel_for(
        c_.batch * strips * parts, image / static_cast<double>(strips * parts),
        [&](int64_t begin, int64_t end) {
          const Scratch<T> source(copy_ ? source_rows(height) * source_row_ : 0);
          const Scratch<T> result(kConverts ? height * c_.columns * out_channels_ : 0);
          for (int64_t i = begin; i < end; ++i) {
            const int64_t part = i % parts, row = i / parts % strips * height;
            run_strip({.image = i / parts / strips,
                       .row = row,
                       .end_row = std::min(c_.rows, row + height),
                       .panel = part * panels() / parts,
                       .end_panel = (part + 1) * panels() / parts},
                      input, output, source.data(), result.data());
          }
          if (stream_) hwy::FlushStream();
        });
  }

  bool can_stream(const S* output) const {
    constexpr int64_t kLine = 64;
    const auto aligned = [](int64_t elements) {
      return elements * static_cast<int64_t>(sizeof(T)) % kLine == 0;
    };
    return !kConverts && !depthwise_ && summed_ <= kMostSummed && aligned(c_.group_out) &&
           aligned(c_.output_column) && aligned(c_.output_row) && aligned(c_.output_image) &&
           reinterpret_cast<uintptr_t>(output) % kLine == 0 &&
           c_.batch * c_.output_image * static_cast<int64_t>(sizeof(T)) > kStreamBytes;
  }

  int64_t source_rows(int64_t rows) const { return (rows - 1) * c_.step_y + bottom_ - top_ + 1; }

  void run_strip(const Strip& strip, const S* input, S* output, T* source, T* result) {
    const S* image = input + strip.image * c_.height * c_.width * in_channels_;
    S* out = output + strip.image * c_.output_image + strip.row * c_.output_row;
    const T* from = source;
    if (copy_)
      copy_source(strip, image, source);
    else if constexpr (!kConverts)
      from = image + (strip.row * c_.step_y + top_) * source_row_ + left_ * channels_;
    if constexpr (kConverts) {
      const int64_t row = c_.columns * out_channels_;
      sum_strip(strip, from, result, row, out_channels_);
      for (int64_t i = 0; i < strip.end_row - strip.row; ++i)
        write_row(strip, result + i * row, out + i * c_.output_row);
    } else {
      sum_strip(strip, from, out, c_.output_row, c_.output_column);
    }
  }

  /// The part of the image that a strip looks at, with zeros around, computed with T.
  void copy_source(const Strip& strip, const S* image, T* to) const {
    const int64_t first = strip.row * c_.step_y + top_;
    const int64_t rows = source_rows(strip.end_row - strip.row);
    const int64_t before = std::clamp<int64_t>(-left_, 0, source_width_);
    const int64_t end = std::clamp<int64_t>(c_.width - left_, before, source_width_);
    for (int64_t y = first; y < first + rows; ++y, to += source_row_) {
      if (y < 0 || y >= c_.height) {
        std::fill_n(to, source_row_, T{0});
        continue;
      }
      std::fill_n(to, before * channels_, T{0});
      copy_pixels(to + before * channels_, image + (y * c_.width + left_ + before) * in_channels_,
                  end - before);
      std::fill_n(to + end * channels_, source_row_ - end * channels_, T{0});
    }
  }

  void copy_pixels(T* to, const S* from, int64_t pixels) const {
    if (pixels == 0) return;
    if (repeat_ == 1) return convert(to, from, pixels * channels_);
    for (int64_t i = 0; i < pixels * in_channels_; ++i)
      for (int64_t r = 0; r < repeat_; ++r) *to++ = static_cast<T>(from[i]);
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
        convert(to + x * c_.output_column + g * c_.group_out + first,
                from + x * out_channels_ + g * c_.group_out + first, count);
  }

  void sum_strip(const Strip& strip, const T* source, T* out, int64_t out_row, int64_t out_column) {
    const int64_t rows = strip.end_row - strip.row, source_step = c_.step_y * source_row_;
    Tile<T> tile{.input_step = c_.step_x * channels_,
                 .offsets = offsets_.data(),
                 .count = summed_,
                 .filter = packed_.data(),
                 .output_step = out_column,
                 .channels = channels_,
                 .stream = stream_};
    if (depthwise_) {
      for (int64_t y = 0; y < rows; ++y) {
        tile.input = source + y * source_step;
        tile.output = out + y * out_row;
        tiles_.depthwise(tile, c_.columns);
      }
      return;
    }
    for (int64_t group = 0; group < c_.groups; ++group)
      for (int64_t chunk = 0; chunk == 0 || chunk < summed_; chunk += kMostSummed)
        for (int64_t panel = strip.panel; panel < strip.end_panel; ++panel) {
          const int64_t first = panel * panel_width();
          tile.offsets = offsets_.data() + chunk;
          tile.count = std::min(kMostSummed, summed_ - chunk);
          tile.filter = packed(group, chunk, panel);
          tile.channels = std::min(panel_width(), c_.group_out - first);
          tile.accumulate = chunk > 0;
          for (int64_t y = 0; y < rows; ++y)
            sum_row(tile, source + y * source_step + group * c_.group_in,
                    out + y * out_row + group * c_.group_out + first);
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
  bool depthwise_;  // each input channel makes its own results
  int64_t repeat_;  // times that an input channel is copied to make as many as results
  int64_t in_channels_;
  int64_t channels_;  // of the source of sums
  int64_t out_channels_;
  int64_t summed_;  // terms of a sum
  int64_t padded_;  // a group's result channels in whole vectors
  Scratch<T> packed_;
  Scratch<int64_t> offsets_;
  int64_t top_ = 0, bottom_ = 0, left_ = 0, right_ = 0;  // of the window, from where it starts
  bool outside_ = false;
  bool copy_ = false;
  bool stream_ = false;
  int64_t source_width_ = 0, source_row_ = 0;
};

}  // namespace

void correlate(DType dtype, const Correlation& correlation, const void* input, const void* filter,
               void* output) {
  const auto run = [&]<class S, class T>(Type<S>, Type<T>) {
    Correlator<S, T>(correlation, static_cast<const S*>(filter))
        .run(static_cast<const S*>(input), static_cast<S*>(output));
  };
  switch (dtype) {
    case DType::kFloat16: return run(Type<Half>(), Type<float>());
    case DType::kBFloat16: return run(Type<BFloat16>(), Type<float>());
    case DType::kFloat64: return run(Type<double>(), Type<double>());
    case DType::kInt32: return run(Type<int32_t>(), Type<int32_t>());
    default: return run(Type<float>(), Type<float>());
  }
}

}  // namespace alula::cpu
