#include "alula/ops/matmul.h"

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/product.h"

/// The emulated card has no library of products.
namespace alula::cuda {
namespace {

const RegisterGpuKernel<MatMul> registered{
    [](const MatMul& op, const KernelCall& call) {
      const View& result = call.outputs[0];
      multiply(call, op, *result.spec, program_after(nullptr, result.dtype(), {}, call.outputs));
    },
    kNumeric};

}  // namespace
}  // namespace alula::cuda
