#include "alula/ops/softmax.h"

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/reduction.h"
#include "alula/ops/cross_entropy.h"

namespace alula::cuda {
namespace {

constexpr const char* kFiles = "reduce reducers softmax";
constexpr DTypeSet kWithLabels = kFloating | DTypeSet(int32) | DTypeSet(int64);

constexpr int kEach = 8;  // the most elements that a thread has on their way

/// How many threads share a row.
int threads_for(int64_t rows, int64_t length, int64_t inner) {
  const int64_t full = 256 * current_card().multiprocessors();
  // Where rows lie within one another, neighbouring threads read neighbours if each has a row.
  if (inner > 1 && (length <= 32 || rows >= full)) return 1;
  const bool few = rows * length <= full;  // then each thread takes but one element
  for (int threads : {1, 2, 4, 8, 16, 32, 256})
    if (length <= threads * (threads >= 32 ? kEach : few ? 1 : kEach / 2)) return threads;
  return 1024;
}

/// Runs a Job of device/softmax.cuh over the rows of a shape along an axis.
void run_rows(const KernelCall& call, std::string_view job, Fields fields, const Shape& shape,
              int axis) {
  const int64_t length = shape[axis], size = shape.size(), rows = size / length;
  int64_t inner = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  const int together = threads_for(rows, length, inner);
  const int each = length <= together ? 1 : kEach;
  const bool wide = size >= int64_t{1} << 31;
  const std::string function =
      fmt::format("softmax_rows<{}, {}, {}, {}>", job, each, length <= together * each,
                  wide ? "unsigned long long" : "unsigned int");
  const int block = std::max(together, kBlockThreads);
  const int64_t blocks = (rows * together + block - 1) / block;
  const Grid grid{.blocks = {static_cast<unsigned>(blocks), 1, 1},
                  .threads = {static_cast<unsigned>(block), 1, 1}};
  auto shift = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(together)));
  uint32_t narrow_numbers[] = {static_cast<uint32_t>(rows), static_cast<uint32_t>(length),
                               static_cast<uint32_t>(inner)};
  uint64_t wide_numbers[] = {static_cast<uint64_t>(rows), static_cast<uint64_t>(length),
                             static_cast<uint64_t>(inner)};
  void* arguments[] = {fields.data(), nullptr, nullptr, nullptr, &shift, nullptr};
  for (int i = 0; i < 3; ++i)
    arguments[i + 1] = wide ? static_cast<void*>(&wide_numbers[i]) : &narrow_numbers[i];
  Card& card = current_card();
  card.launch(card.find({kFiles, function}), grid, arguments, call.queue);
}

template <class Op>
void run_softmax(const Op& op, const KernelCall& call) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  if (y.size() == 0) return;
  run_rows(call,
           fmt::format("SoftmaxOf<{}, {}>", type_name(x.dtype()), std::is_same_v<Op, LogSoftmax>),
           {field(x.data), field(y.data)}, x.shape(),
           normalize_axis(op.name(), op.axis, x.shape().rank()));
}
const RegisterGpuKernel<Softmax> registered_softmax{&run_softmax<Softmax>, kFloating};
const RegisterGpuKernel<LogSoftmax> registered_log_softmax{&run_softmax<LogSoftmax>, kFloating};

/// A loss for each row of logits.
ReduceJob loss_job(const View& logits) {
  return {.shape = logits.shape(),
          .reduced = size_t{1} << (logits.shape().rank() - 1),
          .files = kFiles};
}

void run_sparse(const SparseSoftmaxCrossEntropy&, const KernelCall& call) {
  const View &labels = call.inputs[0], &logits = call.inputs[1], &losses = call.outputs[0];
  if (losses.size() == 0) return;
  const std::string_view type = type_name(logits.dtype());
  ReduceJob job = loss_job(logits);
  job.inputs = {logits};
  job.source = fmt::format("Stored<{}>", type);
  job.source_fields = {field(logits.data)};
  job.reducer = fmt::format("SparseLoss<{}, {}>", type, type_name(labels.dtype()));
  job.reducer_fields = {field(losses.data), field(labels.data), field(logits.data)};
  job.accumulator = logits.dtype() == float64 ? 16 : 8;
  reduce(call, job);
}
const RegisterGpuKernel<SparseSoftmaxCrossEntropy> registered_sparse{&run_sparse, kWithLabels};

void run_dense(const SoftmaxCrossEntropy&, const KernelCall& call) {
  const View &labels = call.inputs[0], &logits = call.inputs[1], &losses = call.outputs[0];
  if (losses.size() == 0) return;
  const std::string_view type = type_name(logits.dtype());
  ReduceJob job = loss_job(logits);
  job.inputs = {labels, logits};
  job.source = fmt::format("LabelledSource<{}>", type);
  job.source_fields = {field(labels.data), field(logits.data)};
  job.reducer = fmt::format("DenseLoss<{}>", type);
  job.reducer_fields = {field(losses.data)};
  job.accumulator = logits.dtype() == float64 ? 32 : 16;
  reduce(call, job);
}
const RegisterGpuKernel<SoftmaxCrossEntropy> registered_dense{&run_dense, kFloating};

template <class Op>
void run_gradient(const Op&, const KernelCall& call) {
  const View &labels = call.inputs[0], &logits = call.inputs[1], &gradient = call.inputs[2];
  const View& out = call.outputs[0];
  if (out.size() == 0) return;
  const std::string_view type = type_name(logits.dtype());
  const bool sparse = std::is_same_v<Op, SparseSoftmaxCrossEntropyGradient>;
  Fields fields{field(labels.data), field(logits.data), field(gradient.data), field(out.data)};
  if (sparse) fields.push_back(static_cast<uint64_t>(logits.shape().back()));
  run_rows(call,
           sparse ? fmt::format("SparseGradient<{}, {}>", type, type_name(labels.dtype()))
                  : fmt::format("DenseGradient<{}>", type),
           fields, logits.shape(), logits.shape().rank() - 1);
}
const RegisterGpuKernel<SparseSoftmaxCrossEntropyGradient> registered_sparse_gradient{
    &run_gradient<SparseSoftmaxCrossEntropyGradient>, kWithLabels};
const RegisterGpuKernel<SoftmaxCrossEntropyGradient> registered_dense_gradient{
    &run_gradient<SoftmaxCrossEntropyGradient>, kFloating};

}  // namespace
}  // namespace alula::cuda
