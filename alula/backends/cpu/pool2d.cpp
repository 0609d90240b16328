#include "alula/backends/cpu/pool2d.h"

#include "alula/ops/avg_pool2d.h"
#include "alula/ops/max_pool2d.h"

namespace alula::cpu {
namespace {

template <class Op>
PoolShape shape_of(const Op& op, const View& input) {
  return {.batch = input.shape()[0],
          .windows = pool2d_windows(Op::kName, *input.spec, op),
          .channels = input.shape()[3]};
}

const RegisterKernel<DeviceType::kCPU, MaxPool2D> max{
    [](const MaxPool2D& op, const KernelCall& call) {
      const View &input = call.inputs[0], &output = call.outputs[0];
      pool2d(Pool::kMax, input.dtype(), shape_of(op, input), input.data, output.data);
    }};

const RegisterKernel<DeviceType::kCPU, AvgPool2D> average{
    [](const AvgPool2D& op, const KernelCall& call) {
      const View &input = call.inputs[0], &output = call.outputs[0];
      pool2d(Pool::kAverage, input.dtype(), shape_of(op, input), input.data, output.data);
    }};

const RegisterKernel<DeviceType::kCPU, MaxPool2DGradient> max_gradient{
    [](const MaxPool2DGradient& op, const KernelCall& call) {
      const View &input = call.inputs[0], &output = call.inputs[1], &gradient = call.inputs[2];
      pool2d_gradient(Pool::kMax, input.dtype(), shape_of(op, input), input.data, output.data,
                      gradient.data, call.outputs[0].data);
    }};

const RegisterKernel<DeviceType::kCPU, MaxPool2DPick> pick{
    [](const MaxPool2DPick& op, const KernelCall& call) {
      const View &input = call.inputs[0], &output = call.inputs[1], &values = call.inputs[2];
      pool2d_pick(input.dtype(), shape_of(op, input), input.data, output.data, values.data,
                  call.outputs[0].data);
    }};

const RegisterKernel<DeviceType::kCPU, AvgPool2DGradient> average_gradient{
    [](const AvgPool2DGradient& op, const KernelCall& call) {
      const View& result = call.outputs[0];
      pool2d_gradient(Pool::kAverage, result.dtype(), shape_of(op, result), nullptr, nullptr,
                      call.inputs[0].data, result.data);
    }};

}  // namespace
}  // namespace alula::cpu
