#include "alula/ops/elementwise.h"

#include "alula/backends/cuda/codegen.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/program_kernels.h"

namespace alula::cuda {
namespace {

void run(const ElementwiseOp& op, const KernelCall& call) {
  if (call.outputs[0].size() == 0) return;
  Card& card = current_card();
  const Layout layout(call.inputs, call.outputs);
  LoadedKernel kernel = ProgramKernels::of(op.program()).elementwise(card, layout.pattern());
  const auto count = static_cast<size_t>(op.program().parameter_count());
  Arguments arguments(layout, call.inputs, call.outputs, std::span(op.parameters).first(count));
  card.launch(kernel, grid_for(layout.packs()), arguments.data(), call.queue);
}

const RegisterGpuKernel<ElementwiseOp> registered{&run, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
