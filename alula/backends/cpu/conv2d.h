#pragma once
#include <span>
#include <vector>

#include "alula/core/dtype.h"
#include "alula/ops/conv2d.h"

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

/// A correlation that owns its taps. It can be moved, but not copied.
struct Described {
  Described() = default;
  Described(Described&&) = default;
  Described& operator=(Described&&) = default;

  std::vector<Tap> taps;
  Correlation correlation{};
  int64_t first = 0;  // the element where its results start
};

/// conv2d.
Described describe(const Conv2DShape& shape);

/// The gradient of conv2d with respect to its input: inputs that lie a stride apart are reached by
/// the same taps, so they are a correlation of the gradient with those; there are as many such
/// correlations as positions within a stride.
std::vector<Described> describe_backprop(const Conv2DShape& shape);

void correlate(DType dtype, const Correlation& correlation, const void* input, const void* filter,
               void* output);

/// The gradient of a correlation with respect to its filter. input: as above; gradient: of its
/// results, which must be contiguous; filter: written. Floating types.
void correlate_filter(DType dtype, const Correlation& correlation, const void* input,
                      const void* gradient, void* filter);

}  // namespace alula::cpu
