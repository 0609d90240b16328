// batch_norm and its gradient: a reduction for the statistics of each channel, then a scalar
// program for the elements.
#include "alula/ops/batch_norm.h"

#include "alula/backends/cuda/codegen.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/program_kernels.h"
#include "alula/backends/cuda/kernels/reduction.h"
#include "alula/scalar/compose.h"

namespace alula::cuda {
namespace {

DType kept_in(DType dtype) { return is_half(dtype) ? float32 : dtype; }

/// y = (x - mean) * factor + beta, the last one only if `shifted`.
const scalar::Program& make_forward(DType dtype, bool shifted) {
  scalar::Builder b;
  const DType kept = kept_in(dtype);
  const Scalar x = cast(b.input(dtype), kept), mean = b.input(kept), factor = b.input(kept);
  Scalar y = (x - mean) * factor;
  if (shifted) y = y + b.input(kept);
  const Scalar result = cast(y, dtype);
  return scalar::interned(b.finish("batch_norm", {&result, 1}));
}

/// dx = dy * factor - level - (x - mean) * slope.
const scalar::Program& make_backward(DType dtype) {
  scalar::Builder b;
  const DType kept = kept_in(dtype);
  const Scalar x = cast(b.input(dtype), kept), dy = cast(b.input(dtype), kept);
  const Scalar mean = b.input(kept), factor = b.input(kept), level = b.input(kept),
               slope = b.input(kept);
  const Scalar result = cast(dy * factor - level - (x - mean) * slope, dtype);
  return scalar::interned(b.finish("batch_norm_gradient", {&result, 1}));
}

/// The programs of one dtype, made once.
struct Programs {
  const scalar::Program &forward, &shifted, &backward;

  explicit Programs(DType dtype)
      : forward(make_forward(dtype, false)),
        shifted(make_forward(dtype, true)),
        backward(make_backward(dtype)) {}
  static const Programs& of(DType dtype) {
    static const Programs half(float16), brain(bfloat16), single(float32), twice(float64);
    switch (dtype) {
      case DType::kFloat16: return half;
      case DType::kBFloat16: return brain;
      case DType::kFloat32: return single;
      default: return twice;
    }
  }
};

/// A number of each channel as a tensor that broadcasts to x.
class ByChannel {
 public:
  ByChannel(const Spec& x, int axis) {
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) shape.push_back(i == axis ? x.shape[i] : 1);
    spec_ = {kept_in(x.dtype), shape};
  }
  size_t bytes() const { return static_cast<size_t>(spec_.bytes()); }
  View view(void* data) const { return {&spec_, data}; }
  View view(const Scratch& scratch) const { return view(scratch.data()); }

 private:
  Spec spec_;
};

void run_elementwise(const KernelCall& call, const scalar::Program& program,
                     std::span<const View> inputs, const View& output) {
  if (output.size() == 0) return;
  Card& card = current_card();
  const Layout layout(inputs, {&output, 1});
  const LoadedKernel kernel = ProgramKernels::of(program).elementwise(card, layout.pattern());
  Arguments arguments(layout, inputs, {&output, 1}, {});
  card.launch(kernel, grid_for(layout.packs()), arguments.data(), call.queue);
}

/// A reduction of all axes of x but one.
ReduceJob channel_job(const View& x, int axis) {
  std::bitset<kMaxRank> reduced = (1u << x.shape().rank()) - 1;
  reduced.reset(static_cast<size_t>(axis));
  return {.shape = x.shape(), .reduced = reduced, .files = "reduce reducers batch_norm"};
}

void run_forward(const BatchNorm& op, const KernelCall& call) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  const View &mean = call.outputs[1], &variance = call.outputs[2];
  if (mean.size() == 0) return;
  const int axis = normalize_axis(op.kName, op.axis, x.shape().rank());
  const bool scaled = call.inputs.size() > 1;
  const ByChannel channels(*x.spec, axis);
  const Scratch scratch(channels.bytes());
  const View factor = channels.view(scratch);
  ReduceJob job = channel_job(x, axis);
  job.inputs = {x};
  job.source = fmt::format("Stored<{}>", type_name(x.dtype()));
  job.source_fields = {field(x.data)};
  job.reducer = fmt::format("BatchStatistics<{}>", type_name(x.dtype()));
  job.reducer_fields = {field(mean.data), field(variance.data), field(factor.data),
                        field(scaled ? call.inputs[1].data : nullptr), field(op.epsilon)};
  job.accumulator = 4 * size_of(mean.dtype());
  reduce(call, job);

  InlineVector<View, 4> inputs{x, channels.view(mean.data), factor};
  if (scaled) inputs.push_back(channels.view(call.inputs[2].data));
  const Programs& programs = Programs::of(x.dtype());
  run_elementwise(call, scaled ? programs.shifted : programs.forward, inputs, y);
}

void run_backward(const BatchNormGradient& op, const KernelCall& call) {
  const View &x = call.inputs[0], &mean = call.inputs[1], &variance = call.inputs[2];
  const View &dy = call.inputs[3], &dx = call.outputs[0];
  const View &dgamma = call.outputs[1], &dbeta = call.outputs[2];
  if (mean.size() == 0) return;
  const int axis = normalize_axis(op.kName, op.axis, x.shape().rank());
  const ByChannel channels(*x.spec, axis);
  const Scratch factors(channels.bytes()), levels(channels.bytes()), slopes(channels.bytes());
  const View factor = channels.view(factors), level = channels.view(levels),
             slope = channels.view(slopes), means = channels.view(mean.data);
  ReduceJob job = channel_job(x, axis);
  job.inputs = {x, dy, means};
  job.source = fmt::format("BatchSource<{}, MASK>", type_name(x.dtype()));
  job.source_fields = {field(x.data), field(dy.data), field(mean.data)};
  job.reducer = fmt::format("BatchGradient<{}>", type_name(x.dtype()));
  job.reducer_fields = {field(dgamma.data),
                        field(dbeta.data),
                        field(factor.data),
                        field(level.data),
                        field(slope.data),
                        field(variance.data),
                        field(call.inputs.size() > 4 ? call.inputs[4].data : nullptr),
                        field(op.epsilon)};
  job.accumulator = 2 * size_of(mean.dtype());
  reduce(call, job);
  const View inputs[] = {x, dy, means, factor, level, slope};
  run_elementwise(call, Programs::of(x.dtype()).backward, inputs, dx);
}

const RegisterGpuKernel<BatchNorm> registered{&run_forward, kFloating};
const RegisterGpuKernel<BatchNormGradient> registered_gradient{&run_backward, kFloating};

}  // namespace
}  // namespace alula::cuda
