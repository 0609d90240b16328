#include "alula/backends/cuda/kernels/conv2d.h"

#include <algorithm>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/pool2d.h"
#include "alula/backends/cuda/kernels/product.h"
#include "alula/ops/conv2d_backprop_filter.h"
#include "alula/ops/conv2d_fused.h"
#include "alula/ops/conv2d_transpose.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/reduce.h"

namespace alula::cuda {
namespace {

using Kind = Conv2DTask::Kind;

/// Whether a convolution has so few terms, or groups of so few channels, that its tiles as a
/// product would be mostly empty.
bool suits_direct(const Conv2DShape& shape) {
  constexpr int64_t kFewTerms = 64, kFewChannels = 16;
  return shape.taps() * shape.group_in() <= kFewTerms ||
         (shape.groups > 1 && shape.group_out() < kFewChannels);
}

void convolve(const KernelCall& call, const Conv2DShape& shape, const InlineProgram& after) {
  if (suits_direct(shape))
    conv2d_directly(call, shape, nullptr, nullptr, after);
  else
    conv2d_by_product(call, shape, after);
}

Conv2DLibrary* g_library = nullptr;

/// Whether every result is made of one pixel, and every pixel makes one.
bool is_product(const Conv2DShape& shape) {
  const auto is_plain = [](const Window& window) {
    return window.size == 1 && window.stride == 1 && window.before == 0 && window.after == 0;
  };
  return shape.groups == 1 && is_plain(shape.windows.y) && is_plain(shape.windows.x);
}

/// Whether it was done as a product of matrices by a library of those.
bool done_as_product(const KernelCall& call, const Conv2DTask& task) {
  const DType dtype = task.input.dtype();
  if (!is_product(task.shape) || !is_floating(dtype)) return false;
  const int64_t pixels = task.input.size() / task.shape.in_channels;
  const Spec inputs{dtype, {pixels, task.shape.in_channels}},
      weights{dtype, {task.shape.in_channels, task.shape.out_channels}},
      results{dtype, {pixels, task.shape.out_channels}};
  const View input{&inputs, task.input.data}, filter{&weights, task.filter.data},
      output{&results, task.output.data};
  const auto multiply = [&](const MatMulOptions& options, const View& a, const View& b,
                            const View& result) {
    const View factors[] = {a, b};
    return multiply_by_library(MatMul(options),
                               {.inputs = factors, .outputs = {&result, 1}, .queue = call.queue});
  };
  switch (task.kind) {
    case Kind::kForward: return multiply({}, input, filter, output);
    case Kind::kInputGradient: return multiply({.transpose_b = true}, output, filter, input);
    case Kind::kFilterGradient: break;
  }
  return multiply({.transpose_a = true}, input, output, filter);
}

bool suits_library(const KernelCall& call, const Conv2DTask& task) {
  return g_library != nullptr && g_library->suits(call, task);
}

/// Whether it was done by a library.
bool done_by_library(const KernelCall& call, const Conv2DTask& task) {
  if (done_as_product(call, task)) return true;
  if (!suits_library(call, task)) return false;
  g_library->run(call, task);
  return true;
}

/// The results of a convolution in memory, as what finishes a product takes them.
ProductShape as_product(const View& results) {
  return {.dtype = results.dtype(),
          .m = 1,
          .n = 1,
          .k = 1,
          .place = {},
          .size = results.size(),
          .columns = results.shape()[results.shape().rank() - 1]};
}

void clear(const View& view, const KernelCall& call) {
  current_card().clear(view.data, static_cast<size_t>(view.bytes()), call.queue);
}

void forward(const Conv2D& op, const KernelCall& call) {
  const View &input = call.inputs[0], &filter = call.inputs[1], &output = call.outputs[0];
  if (output.size() == 0) return;
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const Conv2DTask task{Kind::kForward, shape, input, filter, output};
  if (!done_by_library(call, task)) run_task(call, task);
}

/// The convolution by a library, then the program.
bool finish_after_library(const KernelCall& call, const Conv2DShape& shape,
                          const InlineProgram& after) {
  const Spec whole = call.inputs[0].spec->with(conv2d_result(shape));
  Conv2DTask task{Kind::kForward, shape, call.inputs[0], call.inputs[1], {&whole, nullptr}, true};
  if (!is_product(shape) && !suits_library(call, task)) return false;
  const Scratch results(static_cast<size_t>(whole.bytes()));
  task.output.data = results.data();
  if (!done_by_library(call, task)) return false;
  finish_product(call, as_product(task.output), results.data(), whole.dtype, 1, after);
  return true;
}

/// The convolution, its winners and the program, one after the other: for filters that do not fit
/// into shared memory, and for the library's convolutions.
void pool_by_product(const Conv2DFused& op, const KernelCall& call, const Conv2DShape& shape,
                     const Windows& pool, const InlineProgram& after) {
  const Spec whole = call.inputs[0].spec->with(conv2d_result(shape));
  const Spec pooled = whole.with(pool2d_result(whole.shape, pool));
  const Scratch results(static_cast<size_t>(whole.bytes())),
      winners(static_cast<size_t>(pooled.bytes()));
  const View result{&whole, results.data()}, values{&pooled, winners.data()};
  const Conv2DTask task{Kind::kForward, shape, call.inputs[0], call.inputs[1], result, true};
  if (!done_by_library(call, task)) run_task(call, task);
  const bool positions = op.pooling == Conv2DFused::Pooling::kMaxWithPositions;
  find_winners(call, pool, result, values, positions ? &call.outputs.back() : nullptr);
  finish_product(call, as_product(values), values.data, pooled.dtype, 1, after);
}

/// Whether a convolution that is pooled is left to the library: what it gains must make up for
/// writing all results and reading them again.
bool pools_by_library(const KernelCall& call, const Conv2DShape& shape) {
  const Spec whole = call.inputs[0].spec->with(conv2d_result(shape));
  const Conv2DTask task{Kind::kForward,    shape, call.inputs[0], call.inputs[1],
                        {&whole, nullptr}, true};
  return suits_library(call, task);
}

void fused(const Conv2DFused& op, const KernelCall& call) {
  using Pooling = Conv2DFused::Pooling;
  constexpr int64_t kManyTerms = 600;
  const View &input = call.inputs[0], &filter = call.inputs[1];
  if (call.outputs[0].size() == 0) return;
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const InlineProgram after =
      program_after(op.epilogue, input.dtype(), call.inputs.subspan(2), call.outputs);
  if (op.pooling == Pooling::kNone) {
    if (!finish_after_library(call, shape, after)) convolve(call, shape, after);
    return;
  }
  const Windows pool = pool2d_windows(op.kName, input.spec->with(conv2d_result(shape)), op.pool);
  if ((!suits_direct(shape) && shape.taps() * shape.group_in() > kManyTerms) ||
      pools_by_library(call, shape))
    return pool_by_product(op, call, shape, pool, after);
  const bool positions = op.pooling == Pooling::kMaxWithPositions;
  conv2d_directly(call, shape, &pool, positions ? call.outputs.back().as<unsigned char>() : nullptr,
                  after);
}

void backprop_input(const Conv2DBackpropInput& op, const KernelCall& call) {
  const View &filter = call.inputs[0], &gradient = call.inputs[1], &output = call.outputs[0];
  if (output.size() == 0) return;
  if (gradient.size() == 0) return clear(output, call);
  const Conv2DShape shape = conv2d_shape(op.kName, *output.spec, *filter.spec, op);
  const Conv2DTask task{Kind::kInputGradient, shape, output, filter, gradient};
  if (!done_by_library(call, task)) run_task(call, task);
}

void backprop_filter(const Conv2DBackpropFilter& op, const KernelCall& call) {
  const View &input = call.inputs[0], &gradient = call.inputs[1], &filter = call.outputs[0];
  if (filter.size() == 0) return;
  if (gradient.size() == 0) return clear(filter, call);
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const Conv2DTask task{Kind::kFilterGradient, shape, input, filter, gradient};
  if (!done_by_library(call, task)) run_task(call, task);
}

/// The winners' values, put where they won, are the gradient of the convolution.
void input_gradient_at(const Conv2DInputGradientAt& op, const KernelCall& call) {
  const View &filter = call.inputs[0], &values = call.inputs[1], &output = call.outputs[0];
  if (output.size() == 0) return;
  if (values.size() == 0) return clear(output, call);
  const Conv2DShape shape = conv2d_shape(op.kName, *output.spec, *filter.spec, op);
  const Spec whole = output.spec->with(conv2d_result(shape));
  const Scratch scratch(static_cast<size_t>(whole.bytes()));
  const View gradient{&whole, scratch.data()};
  scatter_winners(call, pool2d_windows(op.kName, whole, op.pool), values, call.inputs[2], gradient);
  const Conv2DTask task{Kind::kInputGradient, shape, output, filter, gradient};
  if (!done_by_library(call, task)) run_task(call, task);
}

const RegisterGpuKernel<Conv2D> forward_registered{&forward, kFloating | DTypeSet{int32}};
const RegisterGpuKernel<Conv2DFused> fused_registered{&fused, kNumericOrBool};
const RegisterGpuKernel<Conv2DBackpropInput> input_registered{&backprop_input,
                                                              Conv2DBackpropInput::kDTypes};
const RegisterGpuKernel<Conv2DBackpropFilter> filter_registered{&backprop_filter,
                                                                Conv2DBackpropFilter::kDTypes};
const RegisterGpuKernel<Conv2DInputGradientAt> at_registered{&input_gradient_at, kNumericOrBool};

}  // namespace

void set_conv2d_library(Conv2DLibrary* library) { g_library = library; }

bool conv2d_filter_at_by_library(const Conv2DFilterGradientAt& op, const KernelCall& call) {
  // From so many on, tensor cores make up for visiting all places instead of the winners.
  constexpr int64_t kManyChannels = 64;
  const View &input = call.inputs[0], &filter = call.outputs[0];
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const Spec whole = input.spec->with(conv2d_result(shape));
  Conv2DTask task{Kind::kFilterGradient, shape, input, filter, {&whole, nullptr}};
  if (std::min(shape.group_in(), shape.group_out()) < kManyChannels || !suits_library(call, task))
    return false;
  const auto run_op = [&](const Op& other, std::span<const View> inputs, const View& output) {
    other.type().kernel(DeviceType::kGPU)(
        other, {.inputs = inputs, .outputs = {&output, 1}, .queue = call.queue});
  };
  View values = call.inputs[1];
  const Scratch made(op.prologue == nullptr ? 0 : static_cast<size_t>(values.bytes())),
      gradient(static_cast<size_t>(whole.bytes()));
  if (op.prologue != nullptr) {
    InlineVector<View, 8> operands{values};
    for (const View& operand : call.inputs.subspan(3)) operands.push_back(operand);
    values.data = made.data();
    run_op(ElementwiseOp(*op.prologue), operands, values);
  }
  task.output.data = gradient.data();
  scatter_winners(call, pool2d_windows(op.kName, whole, op.pool), values, call.inputs[2],
                  task.output);
  g_library->run(call, task);
  if (op.bias) run_op(ReduceSum({.axis = {0, 1, 2}}), {&values, 1}, call.outputs[1]);
  return true;
}

void run_task(const KernelCall& call, const Conv2DTask& task) {
  switch (task.kind) {
    case Kind::kForward: {
      const View operands[] = {task.input, task.filter};
      return convolve({.inputs = operands, .outputs = {&task.output, 1}, .queue = call.queue},
                      task.shape,
                      program_after(nullptr, task.output.dtype(), {}, {&task.output, 1}));
    }
    case Kind::kInputGradient:
      return conv2d_input_by_product(call, task.shape, task.filter, task.output, task.input);
    case Kind::kFilterGradient:
      return conv2d_filter_by_product(call, task.shape, task.input, task.output, task.filter);
  }
}

}  // namespace alula::cuda
