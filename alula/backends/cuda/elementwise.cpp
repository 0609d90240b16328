#include "alula/ops/elementwise.h"

#include <algorithm>
#include <mutex>

#include "alula/backends/cuda/codegen.h"
#include "alula/backends/cuda/gpu.h"
#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

/// The kernels made of one program, by card and pattern.
class Kernels final : public scalar::Prepared {
 public:
  static const Kernels& of(const scalar::Program& program) {
    return static_cast<const Kernels&>(program.prepared(
        DeviceType::kGPU, [](const scalar::Program& p) -> std::unique_ptr<Prepared> {
          return std::make_unique<Kernels>(p);
        }));
  }
  explicit Kernels(const scalar::Program& program) : program_(program) {}

  CUfunction get(Gpu& gpu, const Pattern& pattern) const {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.gpu == &gpu && entry.pattern == pattern) return entry.function;
    std::string source(prelude());
    source += kernel_source(program_, pattern, "kernel");
    entries_.push_back({&gpu, pattern, gpu.kernel(source)});
    return entries_.back().function;
  }

 private:
  struct Entry {
    Gpu* gpu;
    Pattern pattern;
    CUfunction function;
  };

  const scalar::Program& program_;
  mutable std::mutex mutex_;
  mutable std::vector<Entry> entries_;
};

/// Blocks enough to fill the card a few times over; threads go on with what is left.
int blocks_for(const Gpu& gpu, int64_t threads) {
  constexpr int64_t kBlocksEach = 32;
  const int64_t most = kBlocksEach * gpu.info().multiprocessors;
  return static_cast<int>(std::min(most, (threads + kBlockThreads - 1) / kBlockThreads));
}

void run(const ElementwiseOp& op, const KernelCall& call) {
  if (call.outputs[0].size() == 0) return;
  Gpu& gpu = current_gpu();
  const Layout layout(call.inputs, call.outputs);
  CUfunction function = Kernels::of(op.program()).get(gpu, layout.pattern());
  const auto count = static_cast<size_t>(op.program().parameter_count());
  Arguments arguments(layout, call.inputs, call.outputs, std::span(op.parameters).first(count));
  check(cuLaunchKernel(function, blocks_for(gpu, layout.packs()), 1, 1, kBlockThreads, 1, 1, 0,
                       static_cast<cudaStream_t>(call.queue), arguments.data(), nullptr),
        "cuLaunchKernel");
}

const RegisterGpuKernel<ElementwiseOp> registered{&run, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
