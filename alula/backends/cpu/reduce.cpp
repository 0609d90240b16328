#include "alula/ops/reduce.h"

#include "alula/backends/cpu/reduce_job.h"

namespace alula::cpu {
namespace {

/// Elements that are in memory.
class Stored {
 public:
  Stored(const Reducer& reducer, const void* x)
      : reducer_(reducer), x_(static_cast<const std::byte*>(x)) {}

  double nanoseconds() const { return 0.1 * static_cast<double>(reducer_.element); }
  void rows(int64_t position, int64_t rows, int64_t stride, int64_t n,
            std::byte* accumulators) const {
    reducer_.rows(x_ + position * reducer_.element, rows, stride, n, accumulators);
  }

  /// Rows shorter than a vector or two are taken several at a time, as one longer row.
  void columns(int64_t position, int64_t rows, int64_t stride, int64_t n,
               std::byte* accumulators) const {
    const std::byte* x = x_ + position * reducer_.element;
    constexpr int64_t kLong = 512;
    const int64_t some = kLong / n;
    if (n == stride && some > 1 && rows >= 8 * some) {
      alignas(64) std::byte wide[kLong * sizeof(double)];
      reducer_.start(wide, some * n);
      reducer_.columns(x, rows / some, some * n, some * n, wide);
      for (int64_t i = 0; i < some; ++i)
        reducer_.combine(wide + i * n * reducer_.accumulator, n, accumulators);
      x += rows / some * some * n * reducer_.element;
      rows %= some;
    }
    reducer_.columns(x, rows, stride, n, accumulators);
  }

 private:
  const Reducer& reducer_;
  const std::byte* x_;
};

template <class Derived, Reduction kReduction>
void reduce(const Derived& op, const KernelCall& call) {
  const View &x = call.inputs[0], &out = call.outputs[0];
  if (out.size() == 0) return;
  const Reducer& reducer = find_reducer(kReduction, x.dtype());
  if (x.size() == 0) return fill_empty(reducer, out);
  const Blocks blocks(x.shape(), op.axis.among(op.name(), x.shape().rank()));
  ReduceJob(reducer, blocks, Stored(reducer, x.data), out.data).run();
}

const RegisterKernel<DeviceType::kCPU, ReduceSum> sum{reduce<ReduceSum, Reduction::kSum>};
const RegisterKernel<DeviceType::kCPU, ReduceMean> mean{reduce<ReduceMean, Reduction::kMean>};
const RegisterKernel<DeviceType::kCPU, ReduceProd> prod{reduce<ReduceProd, Reduction::kProd>};
const RegisterKernel<DeviceType::kCPU, ReduceMax> max{reduce<ReduceMax, Reduction::kMax>};
const RegisterKernel<DeviceType::kCPU, ReduceMin> min{reduce<ReduceMin, Reduction::kMin>};
const RegisterKernel<DeviceType::kCPU, ReduceAny> any{reduce<ReduceAny, Reduction::kAny>};
const RegisterKernel<DeviceType::kCPU, ReduceAll> all{reduce<ReduceAll, Reduction::kAll>};

}  // namespace
}  // namespace alula::cpu
