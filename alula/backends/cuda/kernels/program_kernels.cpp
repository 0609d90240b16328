#include "alula/backends/cuda/kernels/program_kernels.h"

#include "alula/backends/cuda/codegen.h"

namespace alula::cuda {

const ProgramKernels& ProgramKernels::of(const scalar::Program& program) {
  return static_cast<const ProgramKernels&>(
      program.prepared(DeviceType::kGPU, [](const scalar::Program& p) -> std::unique_ptr<Prepared> {
        return std::make_unique<ProgramKernels>(p);
      }));
}

LoadedKernel ProgramKernels::elementwise(Card& card, const Pattern& pattern) const {
  const std::lock_guard lock(mutex_);
  for (const Patterned& entry : patterned_)
    if (entry.card == &card && entry.pattern == pattern) return entry.kernel;
  const KernelSource source{
      .files = "", .function = "kernel", .own = kernel_source(program_, pattern, "kernel")};
  patterned_.push_back({&card, pattern, card.find(source)});
  return patterned_.back().kernel;
}

}  // namespace alula::cuda
