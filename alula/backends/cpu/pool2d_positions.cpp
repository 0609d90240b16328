#include "alula/backends/cpu/pool2d_positions.h"

#include "alula/ops/max_pool2d_positions.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

/// Calls `run` with a T of the dtype: float or double.
template <class F>
void with_float(DType dtype, const F& run) {
  if (dtype == float64)
    run(Type<double>());
  else
    run(Type<float>());
}

/// Calls `run(row, image, result)` for each row of windows of each image, in several threads:
/// which row it is, and where the image's elements begin, and the row's results.
template <class T, class F>
void for_each_row(const Windows& windows, const Shape& input, const F& run) {
  const int64_t channels = input[3], rows = windows.y.output;
  const double work = static_cast<double>(windows.x.output * windows.y.size * windows.x.size) *
                      static_cast<double>(channels);
  team::parallel_for(input[0] * rows, 0.05 * sizeof(T) * work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      run(i % rows, i / rows * windows.y.input * windows.x.input * channels,
          i * windows.x.output * channels);
  });
}

void pool(const MaxPool2DWithPositions& op, const KernelCall& call) {
  const View &input = call.inputs[0], &values = call.outputs[0], &positions = call.outputs[1];
  const Windows windows = pool2d_windows(op.kName, *input.spec, op);
  if (values.size() == 0) return;
  with_float(input.dtype(), [&]<class T>(Type<T>) {
    for_each_row<T>(windows, input.shape(), [&](int64_t row, int64_t image, int64_t result) {
      max_pool_rows(PoolRows<T>{.windows = windows,
                                .channels = input.shape()[3],
                                .begin = row,
                                .end = row + 1,
                                .input = input.as<T>() + image,
                                .first = 0,
                                .values = values.as<T>() + result,
                                .positions = positions.as<uint8_t>() + result});
    });
  });
}

void scatter(const MaxPool2DScatter& op, const KernelCall& call) {
  const View &values = call.inputs[0], &positions = call.inputs[1], &output = call.outputs[0];
  const Windows windows = pool2d_windows(op.kName, *output.spec, op);
  const int64_t channels = output.shape()[3], height = windows.y.input;
  if (output.size() == 0) return;
  with_float(output.dtype(), [&]<class T>(Type<T>) {
    const double work = static_cast<double>(height * windows.x.input * channels);
    team::parallel_for(output.shape()[0], 0.1 * sizeof(T) * work, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t result = i * windows.y.output * windows.x.output * channels;
        scatter_rows(
            ScatterRows<T>{.windows = windows,
                           .channels = channels,
                           .begin = 0,
                           .end = height,
                           .values = values.as<T>() + result,
                           .positions = positions.as<uint8_t>() + result,
                           .output = output.as<T>() + i * height * windows.x.input * channels});
      }
    });
  });
}

void gather(const MaxPool2DGather& op, const KernelCall& call) {
  const View &input = call.inputs[0], &positions = call.inputs[1], &values = call.outputs[0];
  const Windows windows = pool2d_windows(op.kName, *input.spec, op);
  if (values.size() == 0) return;
  with_float(input.dtype(), [&]<class T>(Type<T>) {
    for_each_row<T>(windows, input.shape(), [&](int64_t row, int64_t image, int64_t result) {
      gather_rows(GatherRows<T>{.windows = windows,
                                .channels = input.shape()[3],
                                .begin = row,
                                .end = row + 1,
                                .input = input.as<T>() + image,
                                .positions = positions.as<uint8_t>() + result,
                                .values = values.as<T>() + result});
    });
  });
}

const RegisterKernel<DeviceType::kCPU, MaxPool2DGather> gather_registered{gather};
const RegisterKernel<DeviceType::kCPU, MaxPool2DWithPositions> pool_registered{pool};
const RegisterKernel<DeviceType::kCPU, MaxPool2DScatter> scatter_registered{scatter};

}  // namespace
}  // namespace alula::cpu
