#include "alula/backends/cpu/conv2d.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "alula/ops/conv2d.h"
#include "alula/ops/conv2d_backprop_filter.h"
#include "alula/ops/conv2d_transpose.h"

namespace alula::cpu {
namespace {

/// Along one axis, the taps that reach the inputs `phase`, `phase + stride`, …: which, and from
/// where.
struct Reach {
  int64_t tap;
  int64_t from;
};
std::vector<Reach> reaching(const Window& window, int64_t phase) {
  std::vector<Reach> reaches;
  for (int64_t i = 0; i < window.size; ++i) {
    const int64_t distance = phase + window.before - i * window.dilation;
    if (distance % window.stride == 0) reaches.push_back({i, distance / window.stride});
  }
  return reaches;
}

/// The inputs at (row, column) within a stride.
Described describe_phase(const Conv2DShape& shape, int64_t row, int64_t column) {
  const auto& [y, x] = shape.windows;
  const int64_t pixel = shape.in_channels;
  Described result;
  for (const Reach& i : reaching(y, row))
    for (const Reach& j : reaching(x, column))
      result.taps.push_back(
          {i.from, j.from, (i.tap * x.size + j.tap) * shape.group_in() * shape.out_channels});
  result.correlation = {.taps = result.taps,
                        .batch = shape.batch,
                        .height = y.output,
                        .width = x.output,
                        .rows = (y.input - row + y.stride - 1) / y.stride,
                        .columns = (x.input - column + x.stride - 1) / x.stride,
                        .output_image = y.input * x.input * pixel,
                        .output_row = y.stride * x.input * pixel,
                        .output_column = x.stride * pixel,
                        .groups = shape.groups,
                        .group_in = shape.group_out(),
                        .group_out = shape.group_in(),
                        .filter_group = shape.group_out(),
                        .filter_in = 1,
                        .filter_out = shape.out_channels};
  result.first = (row * x.input + column) * pixel;
  return result;
}

void forward(const Conv2D& op, const KernelCall& call) {
  const View &input = call.inputs[0], &filter = call.inputs[1], &output = call.outputs[0];
  if (output.size() == 0) return;
  const Described d = describe(conv2d_shape(op.kName, *input.spec, *filter.spec, op));
  correlate(output.dtype(), d.correlation, input.data, filter.data, output.data);
}

void backprop_filter(const Conv2DBackpropFilter& op, const KernelCall& call) {
  const View &input = call.inputs[0], &gradient = call.inputs[1], &filter = call.outputs[0];
  if (filter.size() == 0) return;
  if (gradient.size() == 0) {
    std::memset(filter.data, 0, filter.bytes());
    return;
  }
  const Described d = describe(conv2d_shape(op.kName, *input.spec, *filter.spec, op));
  correlate_filter(filter.dtype(), d.correlation, input.data, gradient.data, filter.data);
}

void backprop_input(const Conv2DBackpropInput& op, const KernelCall& call) {
  const View &filter = call.inputs[0], &gradient = call.inputs[1], &output = call.outputs[0];
  if (output.size() == 0) return;
  const auto width = static_cast<int64_t>(size_of(output.dtype()));
  for (const Described& d :
       describe_backprop(conv2d_shape(op.kName, *output.spec, *filter.spec, op)))
    correlate(output.dtype(), d.correlation, gradient.data, filter.data,
              output.as<char>() + d.first * width);
}

const RegisterKernel<DeviceType::kCPU, Conv2D> forward_registered{forward};
const RegisterKernel<DeviceType::kCPU, Conv2DBackpropInput> input_registered{backprop_input};
const RegisterKernel<DeviceType::kCPU, Conv2DBackpropFilter> filter_registered{backprop_filter};

}  // namespace

Described describe(const Conv2DShape& shape) {
  const auto& [y, x] = shape.windows;
  Described result;
  result.taps.reserve(static_cast<size_t>(shape.taps()));
  for (int64_t i = 0; i < y.size; ++i)
    for (int64_t j = 0; j < x.size; ++j)
      result.taps.push_back({i * y.dilation - y.before, j * x.dilation - x.before,
                             (i * x.size + j) * shape.group_in() * shape.out_channels});
  result.correlation = {.taps = result.taps,
                        .batch = shape.batch,
                        .height = y.input,
                        .width = x.input,
                        .rows = y.output,
                        .columns = x.output,
                        .step_y = y.stride,
                        .step_x = x.stride,
                        .output_image = y.output * x.output * shape.out_channels,
                        .output_row = x.output * shape.out_channels,
                        .output_column = shape.out_channels,
                        .groups = shape.groups,
                        .group_in = shape.group_in(),
                        .group_out = shape.group_out(),
                        .filter_group = shape.group_out(),
                        .filter_in = shape.out_channels,
                        .filter_out = 1};
  return result;
}

std::vector<Described> describe_backprop(const Conv2DShape& shape) {
  const auto& [y, x] = shape.windows;
  std::vector<Described> result;
  for (int64_t row = 0; row < std::min(y.stride, y.input); ++row)
    for (int64_t column = 0; column < std::min(x.stride, x.input); ++column)
      result.push_back(describe_phase(shape, row, column));
  return result;
}

}  // namespace alula::cpu
