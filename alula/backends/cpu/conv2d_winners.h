#pragma once
#include <array>
#include <cstdint>
#include <type_traits>

/// The innermost loops of the gradients of a convolution that was max-pooled: they visit the
/// windows' winners only. Compiled for several instruction sets.
namespace alula::cpu {

/// Windows in rows, each with a value and a winner for each of the convolution's channels.
template <class T>
struct WinnerRows {
  int64_t rows, columns;
  const T* values;
  const uint8_t* positions;
  int64_t step, row;        // from one window, or row of windows, to the next
  const T* mask = nullptr;  // if there is one, values count as 0 where it is not positive
};

/// What some windows add to the gradient of the filter, where a window's input elements of one
/// channel fit into a vector: the elements for the winners of all of the convolution's channels are
/// then one permutation of that.
template <class T>
struct PermutedTile {
  using Place = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

  WinnerRows<T> windows;
  const T* input;  // of the first window: elements of neighbouring rows lie side by side
  int64_t input_step, input_row;
  const Place* places;     // of each position, from a window's first element; a vector of them
  const int64_t* offsets;  // of the elements whose weights these are
  T* sums;                 // added to
  int64_t sums_step;       // from one offset's to the next
};

/// What some windows add to the gradient of the filter, for one of the convolution's channels and a
/// few vectors of input channels.
template <class T>
struct ChannelTile {
  WinnerRows<T> windows;  // from that channel on, without a mask
  const T* input;         // of the first window
  int64_t input_step, input_row;
  const int64_t* places;   // of each position, from a window's first element
  const int64_t* offsets;  // of taps
  T* sums;                 // added to
  int64_t sums_step;       // from one tap's to the next
};

/// What the winners at one position of a window add to the gradient of the input.
template <class T>
struct SpreadTile {
  int64_t count;            // of winners
  const int32_t* channels;  // theirs
  const T* values;
  const T* filter;  // for each channel and tap, the weights of the input channels
  int64_t filter_channel, filter_tap;  // from one to the next
  T* output;                           // of the first tap
  const int64_t* offsets;              // of taps
};

template <class T>
struct WinnerTiles {
  static constexpr int kMostTerms = 12;
  static constexpr int kMostVectors = 2;
  template <class Tile>
  using Table = std::array<std::array<void (*)(const Tile&), kMostTerms>, kMostVectors>;

  int lanes;
  int permuted_terms, terms;  // the most that a tile can have
  /// [v - 1][n - 1] computes v vectors of channels of n offsets.
  Table<PermutedTile<T>> permuted;
  Table<ChannelTile<T>> by_channel;
  Table<SpreadTile<T>> spread;
  /// Adds the windows' values channel by channel.
  void (*add_values)(const WinnerRows<T>& windows, int64_t channels, T* sums);
  /// to[i * count + k] = rows[k][i] for i < n.
  void (*interleave)(const T* const* rows, int64_t count, int64_t n, T* to);
};

/// The best for this machine. T: float or double.
template <class T>
const WinnerTiles<T>& winner_tiles();

}  // namespace alula::cpu
