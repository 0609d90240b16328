#include "alula/ops/elementwise.h"

#include "alula/backends/cpu/interpreter.h"

namespace alula::cpu {
namespace {

const RegisterKernel<DeviceType::kCPU, ElementwiseOp> registered{
    [](const ElementwiseOp& op, const KernelCall& call) {
      Code::of(op.program()).run(call.inputs, call.outputs, op.parameters);
    }};

}  // namespace
}  // namespace alula::cpu
