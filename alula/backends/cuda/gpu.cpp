#include "alula/backends/cuda/gpu.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

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

/// The memory of the card that is current.
class DriverMemory final : public CardMemory {
 public:
  void* take(size_t bytes) override {
    void* block = nullptr;
    const cudaError_t code = cudaMalloc(&block, bytes);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return nullptr;
    }
    check(code, "cudaMalloc");
    return block;
  }
  void give_back(void* block) override { check(cudaFree(block), "cudaFree"); }
  size_t free_bytes() const override {
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    return free;
  }
};

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

Gpu::Gpu(GpuInfo info, size_t memory_limit)
    : info_(std::move(info)),
      stream_(make_stream(info_.ordinal)),
      capture_stream_(make_stream(info_.ordinal)),
      memory_(std::make_unique<DriverMemory>(), info_.memory, memory_limit),
      copies_(info_.ordinal, stream_, memory_),
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

/// As cuLaunchKernel, for blocks that wait for one another.
CUresult launch_together(CUfunction function, unsigned blocks_x, unsigned blocks_y,
                         unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                         unsigned threads_z, unsigned shared_bytes, CUstream stream,
                         void** arguments, void**) {
  return cuLaunchCooperativeKernel(function, blocks_x, blocks_y, blocks_z, threads_x, threads_y,
                                   threads_z, shared_bytes, stream, arguments);
}

}  // namespace

Kernel Gpu::load(const KernelSource& source) {
  const Image image = compile_cached(source.text(), info_.architecture, source.function);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check(cuModuleLoadData(&module, image.code.data()), "cuModuleLoadData");
  check(cuModuleGetFunction(&function, module, image.function.c_str()), "cuModuleGetFunction");
  int shared_bytes = 0;
  check(cuFuncGetAttribute(&shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
        "cuFuncGetAttribute");
  return {source, function, argument_sizes(function), static_cast<size_t>(shared_bytes)};
}

/// More than 4 KB from CUDA 12.1 on, whose drivers take it.
size_t Gpu::most_argument_bytes() const { return CUDA_VERSION >= 12010 ? 32764 : 4096; }

/// Kernels of one stream never meet in it, so it serves them all.
unsigned* Gpu::meeting_word() {
  std::call_once(meeting_once_, [this] {
    meeting_word_ = static_cast<unsigned*>(memory_.allocate(sizeof(unsigned)));
    put_clear(meeting_word_, sizeof(unsigned), stream_);
  });
  return meeting_word_;
}

namespace {
thread_local Gpu::Blocks* t_kept = nullptr;
/// The first so many were let go of by kernels that are on the queue; others may have been by links
/// that wait, and those can run beside the next ones.
thread_local size_t t_settled = 0;

/// The function, which may from now on have so much shared memory.
CUfunction ready(const Kernel& kernel, size_t shared_bytes) {
  constexpr size_t kWithoutAsking = 48 << 10;
  auto* function = static_cast<CUfunction>(const_cast<void*>(kernel.function));
  if (shared_bytes > 0 && shared_bytes + kernel.shared_bytes > kWithoutAsking)
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(shared_bytes)),
          "cuFuncSetAttribute");
  return function;
}

}  // namespace

unsigned Gpu::most_together(const Kernel& kernel, unsigned threads, size_t shared_bytes) const {
  int each = 0;  // multiprocessor
  check(cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, ready(kernel, shared_bytes),
                                                    static_cast<int>(threads), shared_bytes),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(std::max(1, each) * info_.multiprocessors);
}

void Gpu::put_kernel(const Kernel& kernel, const Grid& grid, void** arguments, void* queue) {
  CUfunction function = ready(kernel, grid.shared_bytes);
  const auto launch = grid.together ? &launch_together : &cuLaunchKernel;
  check(launch(function, grid.blocks[0], grid.blocks[1], grid.blocks[2], grid.threads[0],
               grid.threads[1], grid.threads[2], static_cast<unsigned>(grid.shared_bytes),
               static_cast<cudaStream_t>(queue), arguments, nullptr),
        "cuLaunchKernel");
  if (t_kept != nullptr) t_settled = t_kept->size();  // no link waits when a kernel is launched
}

void Gpu::put_clear(void* at, size_t bytes, void* queue) {
  check(cudaMemsetAsync(at, 0, bytes, static_cast<cudaStream_t>(queue)), "cudaMemsetAsync");
}

void Gpu::put_copy(void* to, const void* from, size_t bytes, void* queue) {
  check(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(queue)),
      "cudaMemcpyAsync");
}

Gpu::Blocks* Gpu::keep_scratch_in(Blocks* blocks) {
  t_settled = 0;
  return std::exchange(t_kept, blocks);
}

/// While a graph is captured, what its kernels have let go of serves the next ones.
void* Gpu::take_scratch(size_t bytes) {
  if (t_kept == nullptr) return memory_.allocate(bytes);
  const auto end = t_kept->begin() + static_cast<std::ptrdiff_t>(t_settled);
  const auto found = std::find_if(t_kept->begin(), end, [&](const Block& block) {
    return rounded_size(block.bytes) == rounded_size(bytes);
  });
  if (found == end) return memory_.allocate(bytes);
  void* block = found->data;
  t_kept->erase(found);
  --t_settled;
  return block;
}

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
