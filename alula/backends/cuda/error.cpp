#include "alula/backends/cuda/error.h"

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

}  // namespace

void check_failed(cudaError_t code, const char* call) {
  cudaGetLastError();  // an error that is not fatal is over once it has been reported
  require<ResourceExhaustedError>(code != cudaErrorMemoryAllocation,
                                  "GPU: {} failed: the GPU's memory is used up.", call);
  fail<InternalError>("GPU: {} failed: {} ({}).{}", call, cudaGetErrorString(code),
                      cudaGetErrorName(code),
                      is_fatal(code) ? " The GPU's context is lost, and what was only on the GPU "
                                       "with it: start the program again."
                                     : "");
}

void check_failed(CUresult code, const char* call) {
  require<ResourceExhaustedError>(code != CUDA_ERROR_OUT_OF_MEMORY,
                                  "GPU: {} failed: the GPU's memory is used up.", call);
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &text);
  fail<InternalError>("GPU: {} failed: {} ({}).", call, text == nullptr ? "unknown error" : text,
                      name == nullptr ? "?" : name);
}

void check_failed(cublasStatus_t code, const char* call) {
  require<ResourceExhaustedError>(code != CUBLAS_STATUS_ALLOC_FAILED,
                                  "GPU: {} failed: the GPU's memory is used up.", call);
  fail<InternalError>("GPU: {} failed: {} ({}).", call, cublasLtGetStatusString(code),
                      cublasLtGetStatusName(code));
}

}  // namespace alula::cuda
