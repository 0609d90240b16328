#include "alula/backends/cuda/error.h"

#include "alula/backends/cuda/faults.h"
#include "alula/core/error.h"

namespace alula::cuda {
namespace {

/// Whether an error has killed the context, so that every later call fails too.
bool is_fatal(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorECCUncorrectable:
    case cudaErrorAssert: return true;
    default: return false;
  }
}

/// What a report says of a fault in a kernel.
std::string consequence(cudaError_t code) {
  if (!is_fatal(code)) return "";
  return " A kernel failed, or the card did. The GPU's context is lost, and what was only on the "
         "GPU with it: start the program again." +
         how_to_find_the_op();
}

}  // namespace

void check_failed(cudaError_t code, const char* call) {
  cudaGetLastError();  // an error that is not fatal is over once it has been reported
  require<ResourceExhaustedError>(code != cudaErrorMemoryAllocation,
                                  "GPU: {} failed: the GPU's memory is used up.", call);
  fail<InternalError>("GPU: {} failed: {} ({}).{}", call, cudaGetErrorString(code),
                      cudaGetErrorName(code), consequence(code));
}

void check_failed(CUresult code, const char* call) {
  require<ResourceExhaustedError>(code != CUDA_ERROR_OUT_OF_MEMORY,
                                  "GPU: {} failed: the GPU's memory is used up.", call);
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &text);
  // The driver's and the runtime's codes of what kernels do wrong are the same.
  fail<InternalError>("GPU: {} failed: {} ({}).{}", call, text == nullptr ? "unknown error" : text,
                      name == nullptr ? "?" : name, consequence(static_cast<cudaError_t>(code)));
}

void check_failed(cublasStatus_t code, const char* call) {
  require<ResourceExhaustedError>(code != CUBLAS_STATUS_ALLOC_FAILED,
                                  "GPU: {} failed: the GPU's memory is used up.", call);
  fail<InternalError>("GPU: {} failed: {} ({}).", call, cublasLtGetStatusString(code),
                      cublasLtGetStatusName(code));
}

}  // namespace alula::cuda
