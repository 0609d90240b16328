#include "alula/ops/elementwise.h"

#include <algorithm>
#include <mutex>

#include "alula/backends/cuda/codegen.h"
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

  LoadedKernel get(Card& card, const Pattern& pattern) const {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.card == &card && entry.pattern == pattern) return entry.kernel;
    const KernelSource source{
        .files = "", .function = "kernel", .own = kernel_source(program_, pattern, "kernel")};
    entries_.push_back({&card, pattern, card.find(source)});
    return entries_.back().kernel;
  }

 private:
  struct Entry {
    Card* card;
    Pattern pattern;
    LoadedKernel kernel;
  };

  const scalar::Program& program_;
  mutable std::mutex mutex_;
  mutable std::vector<Entry> entries_;
};

void run(const ElementwiseOp& op, const KernelCall& call) {
  if (call.outputs[0].size() == 0) return;
  Card& card = current_card();
  const Layout layout(call.inputs, call.outputs);
  LoadedKernel kernel = Kernels::of(op.program()).get(card, layout.pattern());
  const auto count = static_cast<size_t>(op.program().parameter_count());
  Arguments arguments(layout, call.inputs, call.outputs, std::span(op.parameters).first(count));
  card.launch(kernel, grid_for(layout.packs()), arguments.data(), call.queue);
}

const RegisterGpuKernel<ElementwiseOp> registered{&run, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
