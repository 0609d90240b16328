#pragma once
#include <array>
#include <cstdint>

/// The innermost loops of convolutions, compiled for several instruction sets. They read pixels
/// where they lie: an input element is a pixel's address plus one of a list of offsets, so that no
/// matrix of patches is ever made.
namespace alula::cpu {

/// A few neighbouring pixels of a result.
template <class T>
struct Tile {
  const T* input;           // of the first pixel
  int64_t input_step;       // from one pixel to the next
  const int64_t* offsets;   // of the elements that are summed over
  int64_t count;            // of offsets
  const T* filter;          // packed: for each offset, its weights for the result's channels
  T* output;                // of the first pixel
  int64_t output_step;      // from one pixel to the next
  int64_t channels;         // of the result
  bool accumulate = false;  // add to what is there
  bool stream = false;      // write past the caches; the output is aligned to a vector then
};

/// A few neighbouring windows of 2x2 results, of which only the largest is written.
template <class T>
struct PooledTile {
  const T* input;                 // of the first result
  int64_t input_step, input_row;  // from one result, or row of results, to the next
  const int64_t* offsets;         // of the elements that are summed over
  int64_t count;                  // of offsets
  const T* filter;                // packed as a Tile's
  T* values;
  uint8_t* positions;  // of the winners in their windows; none if they are not asked for
  int64_t step;        // from one window to the next
  const T* bias;       // added to the values, if there is one
  T least;             // values below become this; minus infinity leaves them
};

template <class T>
struct Tiles {
  static constexpr int kMostPixels = 12;
  static constexpr int kMostVectors = 2;
  static constexpr int kMostDots = 4;

  int lanes;   // elements of a vector
  int pixels;  // the most that a tile can have
  /// sum[v - 1][p - 1] computes p pixels and v vectors of channels:
  ///   output[i][j] = sum over k of input[i][offsets[k]] * filter[k][j].
  /// The filter has v * lanes columns; of the last vector only what `channels` asks for is written.
  std::array<std::array<void (*)(const Tile<T>&), kMostPixels>, kMostVectors> sum;
  /// pooled[v - 1][w - 1] computes w windows and v vectors of channels. Floating types only.
  static constexpr int kMostWindows = 3;
  int windows;  // the most that a tile can have
  std::array<std::array<void (*)(const PooledTile<T>&), kMostWindows>, kMostVectors> pooled;
  /// Computes any number of pixels, channel by channel:
  ///   output[i][j] = sum over k of input[i][offsets[k] + j] * filter[k][j].
  void (*depthwise)(const Tile<T>&, int64_t pixels);
  /// dots[c - 1] computes any number of pixels, for c result channels:
  ///   output[i][j] = sum over k of input[i][offsets[k]] * filter[j][k].
  /// Of each `lanes` offsets, the first is that of `lanes` neighbours.
  std::array<void (*)(const Tile<T>&, int64_t pixels), kMostDots> dots;
};

/// What some rows of a convolution's results add to the gradient of its filter.
template <class T>
struct FilterTile {
  const T* input;                 // of the first result
  int64_t input_step, input_row;  // from one result, or row of results, to the next
  const T* gradient;              // of the first result
  int64_t gradient_step, gradient_row;
  int64_t rows, columns;   // of results
  const int64_t* offsets;  // of the input elements whose weights these are
  T* sums;                 // added to
  int64_t sums_step;       // from one offset's to the next
};

template <class T>
struct FilterTiles {
  static constexpr int kMostOffsets = 12;
  static constexpr int kMostVectors = 2;

  int lanes;
  int offsets;  // the most that a tile can have
  /// outer[v - 1][n - 1] computes v vectors of channels of n offsets:
  ///   sums[k][j] += sum over results i of input[i][offsets[k]] * gradient[i][j].
  std::array<std::array<void (*)(const FilterTile<T>&), kMostOffsets>, kMostVectors> outer;
  /// depthwise[n - 1] computes any number of channels of n offsets:
  ///   sums[k][j] += sum over results i of input[i][offsets[k] + j] * gradient[i][j].
  std::array<void (*)(const FilterTile<T>&, int64_t channels), kMostOffsets> depthwise;
};

/// The best for this machine. T: float or double.
template <class T>
const FilterTiles<T>& filter_tiles();

/// The best for this machine. T: float, double or int32_t.
template <class T>
const Tiles<T>& tiles();

}  // namespace alula::cpu
