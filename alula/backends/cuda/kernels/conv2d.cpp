#include "alula/backends/cuda/kernels/conv2d.h"

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/pool2d.h"
#include "alula/backends/cuda/kernels/product.h"
#include "alula/ops/conv2d_backprop_filter.h"
#include "alula/ops/conv2d_fused.h"
#include "alula/ops/conv2d_gradients_at.h"
#include "alula/ops/conv2d_transpose.h"

namespace alula::cuda {
namespace {

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

void clear(const View& view, const KernelCall& call) {
  current_card().clear(view.data, static_cast<size_t>(view.bytes()), call.queue);
}

void forward(const Conv2D& op, const KernelCall& call) {
  const View &input = call.inputs[0], &filter = call.inputs[1], &output = call.outputs[0];
  if (output.size() == 0) return;
  convolve(call, conv2d_shape(op.kName, *input.spec, *filter.spec, op),
           program_after(nullptr, output.dtype(), {}, call.outputs));
}

/// The convolution, its winners and the program, one after the other: for filters that do not fit
/// into shared memory.
void pool_by_product(const Conv2DFused& op, const KernelCall& call, const Conv2DShape& shape,
                     const Windows& pool, const InlineProgram& after) {
  const Spec whole = call.inputs[0].spec->with(conv2d_result(shape));
  const Spec pooled = whole.with(pool2d_result(whole.shape, pool));
  const Scratch results(static_cast<size_t>(whole.bytes())),
      winners(static_cast<size_t>(pooled.bytes()));
  const View result{&whole, results.data()}, values{&pooled, winners.data()};
  conv2d_by_product(call, shape, program_after(nullptr, whole.dtype, {}, {&result, 1}));
  const bool positions = op.pooling == Conv2DFused::Pooling::kMaxWithPositions;
  find_winners(call, pool, result, values, positions ? &call.outputs.back() : nullptr);
  const ProductShape product{.dtype = pooled.dtype,
                             .m = 1,
                             .n = 1,
                             .k = 1,
                             .place = {},
                             .size = values.size(),
                             .columns = shape.out_channels};
  finish_product(call, product, values.data, pooled.dtype, 1, after);
}

void fused(const Conv2DFused& op, const KernelCall& call) {
  using Pooling = Conv2DFused::Pooling;
  constexpr int64_t kManyTerms = 600;
  const View &input = call.inputs[0], &filter = call.inputs[1];
  if (call.outputs[0].size() == 0) return;
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const InlineProgram after =
      program_after(op.epilogue, input.dtype(), call.inputs.subspan(2), call.outputs);
  if (op.pooling == Pooling::kNone) return convolve(call, shape, after);
  const Windows pool = pool2d_windows(op.kName, input.spec->with(conv2d_result(shape)), op.pool);
  if (!suits_direct(shape) && shape.taps() * shape.group_in() > kManyTerms)
    return pool_by_product(op, call, shape, pool, after);
  const bool positions = op.pooling == Pooling::kMaxWithPositions;
  conv2d_directly(call, shape, &pool, positions ? call.outputs.back().as<unsigned char>() : nullptr,
                  after);
}

void backprop_input(const Conv2DBackpropInput& op, const KernelCall& call) {
  const View &filter = call.inputs[0], &gradient = call.inputs[1], &output = call.outputs[0];
  if (output.size() == 0) return;
  if (gradient.size() == 0) return clear(output, call);
  conv2d_input_by_product(call, conv2d_shape(op.kName, *output.spec, *filter.spec, op), filter,
                          gradient, output);
}

void backprop_filter(const Conv2DBackpropFilter& op, const KernelCall& call) {
  const View &input = call.inputs[0], &gradient = call.inputs[1], &filter = call.outputs[0];
  if (filter.size() == 0) return;
  if (gradient.size() == 0) return clear(filter, call);
  conv2d_filter_by_product(call, conv2d_shape(op.kName, *input.spec, *filter.spec, op), input,
                           gradient, filter);
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
  conv2d_input_by_product(call, shape, filter, gradient, output);
}

const RegisterGpuKernel<Conv2D> forward_registered{&forward, kFloating | DTypeSet{int32}};
const RegisterGpuKernel<Conv2DFused> fused_registered{&fused, kNumericOrBool};
const RegisterGpuKernel<Conv2DBackpropInput> input_registered{&backprop_input,
                                                              Conv2DBackpropInput::kDTypes};
const RegisterGpuKernel<Conv2DBackpropFilter> filter_registered{&backprop_filter,
                                                                Conv2DBackpropFilter::kDTypes};
const RegisterGpuKernel<Conv2DInputGradientAt> at_registered{&input_gradient_at, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
