#include "alula/ops/conv2d_gradients_at.h"

#include <cstring>

#include "alula/backends/cpu/conv2d_correlator.h"
#include "alula/backends/cpu/conv2d_filter_correlator.h"
#include "alula/backends/cpu/conv2d_winners_input.h"

namespace alula::cpu {
namespace {

constexpr double kNanosecondsAFlop = 0.015;

template <class T, class Op>
Winners<T> winners_of(const Op& op, const Conv2DShape& shape, const KernelCall& call) {
  const View &values = call.inputs[1], &positions = call.inputs[2];
  return {.windows = pool2d_windows(Op::kName, values.spec->with(conv2d_result(shape)), op.pool),
          .channels = shape.out_channels,
          .values = values.as<T>(),
          .positions = positions.as<uint8_t>()};
}

template <class T>
void filter_gradient(const Conv2DFilterGradientAt& op, const KernelCall& call) {
  const View &input = call.inputs[0], &filter = call.outputs[0];
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const Winners<T> winners = winners_of<T>(op, shape, call);
  const Described d = describe(shape);
  const ChannelFilter<T> by_channel(shape, d.correlation, winners);
  if (by_channel.fits()) return by_channel.run(input.as<T>(), filter.as<T>());
  const PermutedFilter<T> permuted(shape, winners);
  if (permuted.fits()) return permuted.run(input.as<T>(), filter.as<T>());
  FilterCorrelator<T, T>(d.correlation)
      .template run<false>(
          input.as<T>(),
          [&](int64_t image, int64_t row, int64_t end, T* room) {
            winners.scatter(image, row, end, room);
            return room;
          },
          filter.as<T>());
}

template <class T>
void input_gradient(const Conv2DInputGradientAt& op, const KernelCall& call) {
  const View &filter = call.inputs[0], &output = call.outputs[0];
  const Conv2DShape shape = conv2d_shape(op.kName, *output.spec, *filter.spec, op);
  const Winners<T> winners = winners_of<T>(op, shape, call);
  const SpreadWinners<T> spread(shape, winners);
  if (spread.fits()) return spread.run(filter.as<T>(), output.as<T>());
  const std::vector<Described> phases = describe_backprop(shape);
  std::vector<std::unique_ptr<const Correlator<T, T>>> correlators;
  int64_t copied = 0;
  for (const Described& phase : phases) {
    correlators.push_back(std::make_unique<Correlator<T, T>>(phase.correlation, filter.as<T>()));
    copied = std::max(copied, correlators.back()->copy_size(phase.correlation.rows));
  }
  const auto& [y, x] = shape.windows;
  team::parallel_for(
      shape.batch, kNanosecondsAFlop * shape.flops() / static_cast<double>(shape.batch),
      [&](int64_t begin, int64_t end) {
        const Scratch<T> gradient(y.output * x.output * shape.out_channels), copy(copied);
        for (int64_t image = begin; image < end; ++image) {
          winners.scatter(image, 0, y.output, gradient.data());
          for (size_t i = 0; i < phases.size(); ++i)
            correlators[i]->rows(
                gradient.data(), 0, 0, phases[i].correlation.rows, copy.data(),
                output.as<T>() + image * phases[i].correlation.output_image + phases[i].first);
        }
      });
}

void run_filter(const Conv2DFilterGradientAt& op, const KernelCall& call) {
  const View& filter = call.outputs[0];
  if (filter.size() == 0) return;
  if (call.inputs[1].size() == 0) {
    std::memset(filter.data, 0, filter.bytes());
    return;
  }
  if (filter.dtype() == float64)
    filter_gradient<double>(op, call);
  else
    filter_gradient<float>(op, call);
}

void run_input(const Conv2DInputGradientAt& op, const KernelCall& call) {
  const View& output = call.outputs[0];
  if (output.size() == 0) return;
  if (call.inputs[1].size() == 0) {
    std::memset(output.data, 0, output.bytes());
    return;
  }
  if (output.dtype() == float64)
    input_gradient<double>(op, call);
  else
    input_gradient<float>(op, call);
}

const RegisterKernel<DeviceType::kCPU, Conv2DFilterGradientAt> filter_registered{run_filter};
const RegisterKernel<DeviceType::kCPU, Conv2DInputGradientAt> input_registered{run_input};

}  // namespace
}  // namespace alula::cpu
