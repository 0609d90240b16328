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
          .memory = properties.totalGlobalMem,
          .shared_memory = properties.sharedMemPerBlockOptin};
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

namespace {

/// The bytes of a function's arguments; none where the driver does not tell.
std::vector<unsigned> argument_sizes([[maybe_unused]] CUfunction function) {
  std::vector<unsigned> sizes;
#if CUDA_VERSION >= 12040
  for (size_t i = 0, offset = 0, size = 0;
       cuFuncGetParamInfo(function, i, &offset, &size) == CUDA_SUCCESS; ++i)
    sizes.push_back(static_cast<unsigned>(size));
#endif
  return sizes;
}

}  // namespace

Kernel Gpu::load(const KernelSource& source) {
  const Image image = compile_cached(source.text(), info_.architecture, source.function);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check(cuModuleLoadData(&module, image.code.data()), "cuModuleLoadData");
  check(cuModuleGetFunction(&function, module, image.function.c_str()), "cuModuleGetFunction");
  return {source, function, argument_sizes(function)};
}

void Gpu::put_kernel(const Kernel& kernel, const Grid& grid, void** arguments, void* queue) {
  constexpr size_t kWithoutAsking = 48 << 10;
  auto* function = static_cast<CUfunction>(const_cast<void*>(kernel.function));
  if (grid.shared_bytes > kWithoutAsking)
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(grid.shared_bytes)),
          "cuFuncSetAttribute");
  check(cuLaunchKernel(function, grid.blocks[0], grid.blocks[1], grid.blocks[2], grid.threads[0],
                       grid.threads[1], grid.threads[2], static_cast<unsigned>(grid.shared_bytes),
                       static_cast<cudaStream_t>(queue), arguments, nullptr),
        "cuLaunchKernel");
}

void Gpu::put_clear(void* at, size_t bytes, void* queue) {
  check(cudaMemsetAsync(at, 0, bytes, static_cast<cudaStream_t>(queue)), "cudaMemsetAsync");
}

void Gpu::put_copy(void* to, const void* from, size_t bytes, void* queue) {
  check(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(queue)),
      "cudaMemcpyAsync");
}

namespace {
thread_local Gpu::Blocks* t_kept = nullptr;
}

void Gpu::keep_scratch_in(Blocks* blocks) { t_kept = blocks; }

void* Gpu::take_scratch(size_t bytes) { return memory_.allocate(bytes); }

void Gpu::release_scratch(void* block, size_t bytes) noexcept {
  if (t_kept != nullptr)
    t_kept->push_back({block, bytes});
  else
    memory_.release(block, bytes);
}

Gpu& current_gpu() {
  int ordinal = 0;
  check(cudaGetDevice(&ordinal), "cudaGetDevice");
  Gpu* gpu = g_cards[ordinal].load(std::memory_order_acquire);
  require<InternalError>(gpu != nullptr, "GPU: card {} is current, but not in use.", ordinal);
  return *gpu;
}

}  // namespace alula::cuda
