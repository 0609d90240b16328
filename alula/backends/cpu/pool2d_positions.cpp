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

void pool(const MaxPool2DWithPositions& op, const KernelCall& call) {
  const View &input = call.inputs[0], &values = call.outputs[0], &positions = call.outputs[1];
  const Windows windows = pool2d_windows(op.kName, *input.spec, op);
  const int64_t channels = input.shape()[3], rows = windows.y.output;
  if (values.size() == 0) return;
  with_float(input.dtype(), [&]<class T>(Type<T>) {
    const double work = static_cast<double>(windows.x.output * windows.y.size * windows.x.size) *
                        static_cast<double>(channels);
    team::parallel_for(
        input.shape()[0] * rows, 0.05 * sizeof(T) * work, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t result = i * windows.x.output * channels;
            max_pool_rows(PoolRows<T>{
                .windows = windows,
                .channels = channels,
                .begin = i % rows,
                .end = i % rows + 1,
                .input = input.as<T>() + i / rows * windows.y.input * windows.x.input * channels,
                .first = 0,
                .values = values.as<T>() + result,
                .positions = positions.as<uint8_t>() + result});
          }
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
  const int64_t channels = input.shape()[3], rows = windows.y.output;
  if (values.size() == 0) return;
  with_float(input.dtype(), [&]<class T>(Type<T>) {
    const double work = static_cast<double>(windows.x.output * windows.y.size * windows.x.size) *
                        static_cast<double>(channels);
    team::parallel_for(
        input.shape()[0] * rows, 0.05 * sizeof(T) * work, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t result = i * windows.x.output * channels;
            gather_rows(GatherRows<T>{
                .windows = windows,
                .channels = channels,
                .begin = i % rows,
                .end = i % rows + 1,
                .input = input.as<T>() + i / rows * windows.y.input * windows.x.input * channels,
                .positions = positions.as<uint8_t>() + result,
                .values = values.as<T>() + result});
          }
        });
  });
}

const RegisterKernel<DeviceType::kCPU, MaxPool2DGather> gather_registered{gather};
const RegisterKernel<DeviceType::kCPU, MaxPool2DWithPositions> pool_registered{pool};
const RegisterKernel<DeviceType::kCPU, MaxPool2DScatter> scatter_registered{scatter};

}  // namespace
}  // namespace alula::cpu
