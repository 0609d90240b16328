#include "alula/ops/conv2d_gradients_at.h"

#include <cstring>
#include <optional>

#include "alula/backends/cpu/conv2d_correlator.h"
#include "alula/backends/cpu/conv2d_filter_correlator.h"
#include "alula/backends/cpu/conv2d_winners_input.h"
#include "alula/backends/cpu/interpreter.h"

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

/// Makes the values by the op's program, if it has one.
template <class T>
class Prologue {
 public:
  Prologue(const Conv2DFilterGradientAt& op, const KernelCall& call)
      : call_(call), code_(op.prologue == nullptr ? nullptr : &Code::of(*op.prologue)) {}

  explicit operator bool() const { return code_ != nullptr; }

  /// Elements [first, first + size) of the values.
  void operator()(int64_t first, int64_t size, T* to) const {
    const int64_t channels = call_.inputs[1].shape().back();
    InlineVector<Spec, 4> specs;
    InlineVector<View, 4> inputs;
    for (size_t i = 1; i < call_.inputs.size(); ++i) {
      const View& view = call_.inputs[i];
      const bool whole = view.shape() == call_.inputs[1].shape();
      specs.push_back(
          {view.dtype(), whole ? Shape{size / channels, channels} : Shape{view.size()}});
    }
    for (size_t i = 1; i < call_.inputs.size(); ++i) {
      if (i == 2) continue;  // the positions
      const View& view = call_.inputs[i];
      const bool whole = view.shape() == call_.inputs[1].shape();
      const int64_t offset = whole ? first * static_cast<int64_t>(size_of(view.dtype())) : 0;
      inputs.push_back({&specs[i - 1], view.as<char>() + offset});
    }
    const View output{&specs[0], to};
    code_->run(inputs, {&output, 1}, {});
  }

 private:
  const KernelCall& call_;
  const Code* code_;
};

/// If the program is select(mask > 0, values, 0), as relu's gradient is: its two inputs.
struct Masked {
  size_t mask, values;
};
std::optional<Masked> as_mask(const scalar::Program* program) {
  using scalar::Opcode;
  if (program == nullptr || program->results().size() != 1) return std::nullopt;
  const std::vector<scalar::Instruction>& code = program->code();
  const scalar::Instruction& select = code[program->results()[0]];
  if (select.opcode != Opcode::kSelect) return std::nullopt;
  const auto operand = [&](const scalar::Instruction& of, int k) -> const scalar::Instruction& {
    return code[of.operands[k]];
  };
  const auto is_zero = [](const scalar::Instruction& step) {
    return step.opcode == Opcode::kConstant && is_floating(step.dtype) && step.number == 0;
  };
  const scalar::Instruction &condition = operand(select, 0), &values = operand(select, 1);
  if (condition.opcode != Opcode::kLess || !is_zero(operand(condition, 0)) ||
      operand(condition, 1).opcode != Opcode::kInput || values.opcode != Opcode::kInput ||
      !is_zero(operand(select, 2)))
    return std::nullopt;
  return Masked{static_cast<size_t>(operand(condition, 1).index),
                static_cast<size_t>(values.index)};
}

/// The sums of each channel's values.
template <class T>
void sum_values(const Winners<T>& winners, int64_t batch, T* bias) {
  const int64_t parts = std::min(batch, kMostWinnerParts), channels = winners.channels;
  const Scratch<T> sums(parts * channels);
  sum_in_parts(batch, parts, 0.1 * static_cast<double>(batch * winners.image()),
               std::span<T>(sums.data(), static_cast<size_t>(parts * channels)), channels,
               [&](int64_t begin, int64_t end, T* own) {
                 const WinnerRows<T> rows{end - begin,
                                          winners.windows.y.output * winners.windows.x.output,
                                          winners.values + begin * winners.image(),
                                          nullptr,
                                          channels,
                                          winners.image()};
                 winner_tiles<T>().add_values(rows, channels, own);
               });
  std::copy_n(sums.data(), channels, bias);
}

template <class T>
void filter_gradient(const Conv2DFilterGradientAt& op, const KernelCall& call) {
  const View &input = call.inputs[0], &filter = call.outputs[0];
  T* bias = op.bias ? call.outputs[1].template as<T>() : nullptr;
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  Winners<T> winners = winners_of<T>(op, shape, call);
  const Prologue<T> prologue(op, call);
  const PermutedFilter<T> permuted(shape, winners);
  if (permuted.fits() && shape.in_channels % winner_tiles<T>().lanes != 0) {
    if (prologue) winners.values = nullptr;
    const std::optional<Masked> masked = as_mask(op.prologue);
    const auto taken = [&](size_t i) { return call.inputs[i == 0 ? 1 : i + 2]; };
    if (masked.has_value() && permuted.can_mask() &&
        *taken(masked->mask).spec == *taken(masked->values).spec) {
      winners.values = taken(masked->values).template as<T>();
      winners.mask = taken(masked->mask).template as<T>();
    }
    return permuted.run(input.as<T>(), filter.as<T>(), bias,
                        [&](int64_t image, int64_t begin, int64_t end, T* to) {
                          prologue(image * winners.image() + begin * winners.row(),
                                   (end - begin) * winners.row(), to);
                        });
  }
  const Scratch<T> values(prologue ? shape.batch * winners.image() : 0);
  if (prologue) {
    prologue(0, shape.batch * winners.image(), values.data());
    winners.values = values.data();
  }
  const Described d = describe(shape);
  const ChannelFilter<T> by_channel(shape, d.correlation, winners);
  if (by_channel.fits()) return by_channel.run(input.as<T>(), filter.as<T>(), bias);
  if (bias != nullptr) sum_values(winners, shape.batch, bias);
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
  const int64_t pixels = y.output * x.output, rows = y.output;
  team::parallel_for(
      shape.batch, kNanosecondsAFlop * shape.flops() / static_cast<double>(shape.batch),
      [&](int64_t begin, int64_t end) {
        const Scratch<T> gradient(pixels * shape.out_channels), copy(copied);
        for (int64_t image = begin; image < end; ++image) {
          winners.scatter(image, 0, rows, gradient.data());
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
    for (const View& output : call.outputs) std::memset(output.data, 0, output.bytes());
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
