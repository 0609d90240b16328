#pragma once
#include "alula/backends/cpu/conv2d_winners_filter.h"

/// The gradient of a max-pooled convolution with respect to its input.
namespace alula::cpu {

/// For whole vectors of input channels. The winners of a window are sorted by their positions:
/// those at one position add to the same inputs, which stay in registers meanwhile.
template <class T>
class SpreadWinners {
 public:
  SpreadWinners(const Conv2DShape& shape, const Winners<T>& winners) : s_(shape), w_(winners) {
    const auto& [y, x] = s_.windows;
    height_ = std::max(y.input, (y.output - 1) * y.stride + y.extent() - y.before) + y.before;
    width_ = std::max(x.input, (x.output - 1) * x.stride + x.extent() - x.before) + x.before;
    for (int64_t i = 0; i < y.size; ++i)
      for (int64_t j = 0; j < x.size; ++j)
        offsets_.push_back((i * y.dilation * width_ + j * x.dilation) * s_.in_channels);
  }

  bool fits() const {
    return s_.groups == 1 && s_.in_channels % tiles_.lanes == 0 &&
           w_.channels * positions() <= kMostListed;
  }

  void run(const T* filter, T* output) const {
    const int64_t terms = s_.taps() * s_.in_channels;
    const Scratch<T> packed(terms * w_.channels);
    pack(filter, packed.data());
    const double flops = 2 * static_cast<double>(w_.image() * terms);
    team::parallel_for(s_.batch, kNanosecondsAWinnersFlop * flops, [&](int64_t begin, int64_t end) {
      const Memory memory(*this);
      for (int64_t i = begin; i < end; ++i) add_image(i, packed.data(), memory, output);
    });
  }

 private:
  static constexpr int64_t kMostListed = 16 << 10;

  /// A thread's.
  struct Memory {
    explicit Memory(const SpreadWinners& s)
        : image(s.padded() ? s.height_ * s.row() : 0),
          counts(s.positions()),
          channels(s.positions() * s.w_.channels),
          values(s.positions() * s.w_.channels) {}
    Scratch<T> image;
    Scratch<int64_t> counts;  // for each position, its winners
    Scratch<int32_t> channels;
    Scratch<T> values;
  };

  int64_t positions() const { return w_.windows.y.size * w_.windows.x.size; }
  int64_t row() const { return width_ * s_.in_channels; }
  bool padded() const { return height_ != s_.windows.y.input || width_ != s_.windows.x.input; }

  /// For each of the convolution's channels, the weights of all taps and input channels.
  void pack(const T* filter, T* packed) const {
    const int64_t terms = s_.taps() * s_.in_channels;
    team::parallel_for(w_.channels, static_cast<double>(terms), [&](int64_t begin, int64_t end) {
      for (int64_t k = 0; k < terms; ++k)
        for (int64_t c = begin; c < end; ++c) packed[c * terms + k] = filter[k * w_.channels + c];
    });
  }

  void add_image(int64_t number, const T* packed, const Memory& memory, T* output) const {
    const auto& [y, x] = s_.windows;
    const int64_t line = x.input * s_.in_channels;
    T* whole = output + number * y.input * line;
    T* image = padded() ? memory.image.data() : whole;
    std::fill_n(image, height_ * row(), T{0});
    int64_t at = number * w_.image();
    for (int64_t i = 0; i < w_.windows.y.output; ++i)
      for (int64_t j = 0; j < w_.windows.x.output; ++j, at += w_.channels)
        add_window(i, j, at, packed, memory, image);
    if (!padded()) return;
    for (int64_t i = 0; i < y.input; ++i)
      std::copy_n(image + (i + y.before) * row() + x.before * s_.in_channels, line,
                  whole + i * line);
  }

  void add_window(int64_t row_number, int64_t column, int64_t at, const T* packed,
                  const Memory& memory, T* image) const {
    const auto& [pool_y, pool_x] = w_.windows;
    const auto& [y, x] = s_.windows;
    list_winners(at, memory);
    const int64_t top = row_number * pool_y.stride - pool_y.before;
    const int64_t left = column * pool_x.stride - pool_x.before;
    for (int64_t i = 0; i < pool_y.size; ++i)
      for (int64_t j = 0; j < pool_x.size; ++j) {
        const int64_t position = i * pool_x.size + j;
        if (memory.counts[position] == 0) continue;
        const int64_t pixel = (top + i) * y.stride * width_ + (left + j) * x.stride;
        add_position(position, packed, memory, image + pixel * s_.in_channels);
      }
  }

  /// The winners of a window by position; those without a gradient are left out.
  void list_winners(int64_t at, const Memory& memory) const {
    std::fill_n(memory.counts.data(), positions(), int64_t{0});
    for (int64_t c = 0; c < w_.channels; ++c) {
      const int64_t position = w_.positions[at + c];
      const T value = w_.values[at + c];
      const int64_t place = position * w_.channels + memory.counts[position];
      memory.channels[place] = static_cast<int32_t>(c);
      memory.values[place] = value;
      memory.counts[position] += value != T{0};
    }
  }

  void add_position(int64_t position, const T* packed, const Memory& memory, T* to) const {
    const int64_t taps = s_.taps(), tiles = ceil_div(taps, tiles_.terms);
    const int64_t panel = int64_t{WinnerTiles<T>::kMostVectors} * tiles_.lanes;
    SpreadTile<T> tile{.count = memory.counts[position],
                       .channels = memory.channels.data() + position * w_.channels,
                       .values = memory.values.data() + position * w_.channels,
                       .filter = nullptr,
                       .filter_channel = taps * s_.in_channels,
                       .filter_tap = s_.in_channels,
                       .output = nullptr,
                       .offsets = nullptr};
    for (int64_t j = 0; j < s_.in_channels; j += panel)
      for (int64_t i = 0; i < tiles; ++i) {
        const int64_t tap = i * taps / tiles, count = (i + 1) * taps / tiles - tap;
        tile.filter = packed + tap * s_.in_channels + j;
        tile.output = to + j;
        tile.offsets = offsets_.data() + tap;
        tiles_.spread[std::min(panel, s_.in_channels - j) / tiles_.lanes - 1][count - 1](tile);
      }
  }

  const WinnerTiles<T>& tiles_ = winner_tiles<T>();
  const Conv2DShape& s_;
  const Winners<T>& w_;
  int64_t height_ = 0, width_ = 0;  // of the input with its padding
  std::vector<int64_t> offsets_;    // of taps
};

}  // namespace alula::cpu
