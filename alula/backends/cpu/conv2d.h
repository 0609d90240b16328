#pragma once
#include <span>

#include "alula/core/dtype.h"

/// One description of all convolutions, forward and backward, so that one piece of code computes
/// them.
namespace alula::cpu {

/// A position of the window.
struct Tap {
  int64_t y;  // from where the window starts, which may be outside of the image
  int64_t x;
  int64_t filter;  // where its weights start
};

/// Each result is a sum over taps and over the input channels of its group:
///   output[n][i][j][o] = sum of input[n][i * step_y + tap.y][j * step_x + tap.x][c] *
///   filter[tap][c][o].
/// What lies outside of the image counts as zero.
struct Correlation {
  std::span<const Tap> taps;
  int64_t batch;
  int64_t height, width;  // of the input
  int64_t rows, columns;  // of results
  int64_t step_y = 1, step_x = 1;
  int64_t output_image, output_row, output_column;  // elements from one result to the next
  int64_t groups, group_in, group_out;              // and the channels of a group
  int64_t filter_group, filter_in, filter_out;      // elements from one weight to the next
};

void correlate(DType dtype, const Correlation& correlation, const void* input, const void* filter,
               void* output);

/// The gradient of a correlation with respect to its filter. input: as above; gradient: of its
/// results, which must be contiguous; filter: written. Floating types.
void correlate_filter(DType dtype, const Correlation& correlation, const void* input,
                      const void* gradient, void* filter);

}  // namespace alula::cpu
