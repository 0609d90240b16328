#include "alula/ops/reduce.h"

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/reduction.h"
#include "alula/ops/arg_reduce.h"

namespace alula::cuda {
namespace {

void run(const KernelCall& call, std::bitset<kMaxRank> reduced, std::string reducer,
         size_t accumulator) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  if (y.size() == 0) return;
  reduce(call, {.shape = x.shape(),
                .reduced = reduced,
                .inputs = {x},
                .files = "reduce reducers",
                .source = fmt::format("Stored<{}>", type_name(x.dtype())),
                .source_fields = {field(x.data)},
                .reducer = std::move(reducer),
                .reducer_fields = {field(y.data)},
                .accumulator = accumulator});
}

/// An accumulator's bytes, if it is one number.
size_t accumulator_of(DType dtype, bool mean) {
  if (mean && !is_floating(dtype)) return 8;
  return std::max<size_t>(size_of(dtype), 4);
}

template <class Op>
RegisterGpuKernel<Op> reduction(typename RegisterKernel<DeviceType::kGPU, Op>::Typed run) {
  return {run, Op::kDTypes};
}

template <class Op>
void run_as(const Op& op, const KernelCall& call, const char* reducer) {
  const View& x = call.inputs[0];
  run(call, op.axis.among(op.name(), x.shape().rank()),
      fmt::format("{}<{}>", reducer, type_name(x.dtype())),
      accumulator_of(x.dtype(), std::is_same_v<Op, ReduceMean>));
}

const auto registered_sum = reduction<ReduceSum>(
    [](const ReduceSum& op, const KernelCall& call) { run_as(op, call, "Sum"); });
const auto registered_mean = reduction<ReduceMean>(
    [](const ReduceMean& op, const KernelCall& call) { run_as(op, call, "Mean"); });
const auto registered_prod = reduction<ReduceProd>(
    [](const ReduceProd& op, const KernelCall& call) { run_as(op, call, "Prod"); });
const auto registered_max = reduction<ReduceMax>(
    [](const ReduceMax& op, const KernelCall& call) { run_as(op, call, "Max"); });
const auto registered_min = reduction<ReduceMin>(
    [](const ReduceMin& op, const KernelCall& call) { run_as(op, call, "Min"); });
const auto registered_any = reduction<ReduceAny>(
    [](const ReduceAny& op, const KernelCall& call) { run_as(op, call, "Max"); });
const auto registered_all = reduction<ReduceAll>(
    [](const ReduceAll& op, const KernelCall& call) { run_as(op, call, "Min"); });

/// The place of the largest or the smallest.
void run_arg(const char* who, const ArgReduceOptions& op, const KernelCall& call, bool largest) {
  const View& x = call.inputs[0];
  const int axis = normalize_axis(who, op.axis, x.shape().rank());
  const bool wide = x.shape()[axis] > int64_t{1} << 32;
  run(call, size_t{1} << axis,
      fmt::format("ArgBest<{}, {}, {}, {}>", type_name(x.dtype()), type_name(op.output_type),
                  wide ? "unsigned long long" : "unsigned int", largest),
      wide || size_of(x.dtype()) == 8 ? 16 : 8);
}
const auto registered_argmax = reduction<ArgMax>(
    [](const ArgMax& op, const KernelCall& call) { run_arg(op.kName, op, call, true); });
const auto registered_argmin = reduction<ArgMin>(
    [](const ArgMin& op, const KernelCall& call) { run_arg(op.kName, op, call, false); });

}  // namespace
}  // namespace alula::cuda
