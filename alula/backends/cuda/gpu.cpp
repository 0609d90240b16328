#include "alula/backends/cuda/gpu.h"

#include <array>
#include <atomic>

#include "alula/backends/cuda/matmul.h"
#include "alula/backends/cuda/nvrtc.h"

namespace alula::cuda {
namespace {

constexpr int kMostCards = 64;
std::array<std::atomic<Gpu*>, kMostCards> g_cards{};

/// Makes the card current, then a stream on it.
cudaStream_t make_stream(int ordinal) {
  check(cudaSetDevice(ordinal), "cudaSetDevice");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

}  // namespace

GpuInfo info_of(int ordinal) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  return {.ordinal = ordinal,
          .name = properties.name,
          .architecture = 10 * properties.major + properties.minor,
          .multiprocessors = properties.multiProcessorCount,
          .memory = properties.totalGlobalMem};
}

Gpu::Gpu(GpuInfo info)
    : info_(std::move(info)),
      stream_(make_stream(info_.ordinal)),
      capture_stream_(make_stream(info_.ordinal)),
      memory_(info_.memory),
      staging_(stream_),
      matmuls_(std::make_unique<MatMuls>()) {
  g_cards[info_.ordinal].store(this, std::memory_order_release);
}

CUfunction Gpu::kernel(const std::string& source) {
  const std::lock_guard lock(kernels_mutex_);
  CUfunction& function = kernels_[source];
  if (function != nullptr) return function;
  const std::string image = compile(source, info_.architecture);
  CUmodule module = nullptr;
  check(cuModuleLoadData(&module, image.data()), "cuModuleLoadData");
  check(cuModuleGetFunction(&function, module, "kernel"), "cuModuleGetFunction");
  return function;
}

Gpu& current_gpu() {
  int ordinal = 0;
  check(cudaGetDevice(&ordinal), "cudaGetDevice");
  Gpu* gpu = g_cards[ordinal].load(std::memory_order_acquire);
  require<InternalError>(gpu != nullptr, "GPU: card {} is current, but not in use.", ordinal);
  return *gpu;
}

}  // namespace alula::cuda
