#include "alula/ops/conv2d_gradients_at.h"

#include <cstring>

#include "alula/backends/cpu/conv2d_correlator.h"
#include "alula/backends/cpu/conv2d_filter_correlator.h"
#include "alula/backends/cpu/pool2d_positions.h"

namespace alula::cpu {
namespace {

constexpr double kNanosecondsAFlop = 0.015;

/// Puts the winners of an image where they were in the convolution's result, some rows at a time.
template <class T>
class Winners {
 public:
  template <class Op>
  Winners(const Op& op, const Conv2DShape& shape, const View& values, const View& positions)
      : windows_(pool2d_windows(Op::kName, values.spec->with(conv2d_result(shape)), op.pool)),
        channels_(shape.out_channels),
        values_(values.as<T>()),
        positions_(positions.as<uint8_t>()) {}

  void scatter(int64_t image, int64_t begin, int64_t end, T* to) const {
    const int64_t first = image * windows_.y.output * windows_.x.output * channels_;
    scatter_rows(ScatterRows<T>{.windows = windows_,
                                .channels = channels_,
                                .begin = begin,
                                .end = end,
                                .values = values_ + first,
                                .positions = positions_ + first,
                                .output = to});
  }

 private:
  Windows windows_;
  int64_t channels_;
  const T* values_;
  const uint8_t* positions_;
};

template <class T>
void filter_gradient(const Conv2DFilterGradientAt& op, const KernelCall& call) {
  const View &input = call.inputs[0], &filter = call.outputs[0];
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const Winners<T> winners(op, shape, call.inputs[1], call.inputs[2]);
  const Described d = describe(shape);
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
  const Winners<T> winners(op, shape, call.inputs[1], call.inputs[2]);
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
