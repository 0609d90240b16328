#pragma once
#include <cublasLt.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

/// Turns the codes of CUDA's libraries into exceptions: `check(cudaMalloc(&p, n), "cudaMalloc")`.
///
/// Out of memory is a ResourceExhaustedError; everything else is an InternalError that names the
/// call and what CUDA says of it.
namespace alula::cuda {

void check_failed(cudaError_t code, const char* call);
void check_failed(CUresult code, const char* call);
void check_failed(cublasStatus_t code, const char* call);

inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) [[unlikely]]
    check_failed(code, call);
}
inline void check(CUresult code, const char* call) {
  if (code != CUDA_SUCCESS) [[unlikely]]
    check_failed(code, call);
}
inline void check(cublasStatus_t code, const char* call) {
  if (code != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    check_failed(code, call);
}

}  // namespace alula::cuda
