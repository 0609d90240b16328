// Kernels that are wrong on purpose: the emulated card finds them out. Guard bytes behind each
// block show what is written there; under AddressSanitizer each access is checked.
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "alula/backends/cuda/emulated/card.h"
#include "alula/core/memory.h"

using namespace alula;
using namespace alula::cuda;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kChecked = true;
#else
constexpr bool kChecked = false;
#endif

constexpr int kCount = 64;  // ints of a block, and of an array in shared memory
constexpr size_t kBytes = kCount * sizeof(int);

/// Runs a kernel of one block of kCount threads, on a block of memory of kCount ints. A thread may
/// access the element that lies `beyond` the last one.
void run(const char* function, int beyond, size_t shared_bytes = 0) {
  emulated::EmulatedCard card;
  const KernelSource source{"", function, R"(
__global__ void writes(int* block, int count, int beyond) {
  block[threadIdx.x == 0 ? count - 1 + beyond : threadIdx.x] = 1;
}
__global__ void reads(int* block, int count, int beyond) {
  const int x = block[threadIdx.x == 0 ? count - 1 + beyond : threadIdx.x];
  __syncthreads();
  block[threadIdx.x] = x;
}
template <int kCount>
__global__ void reads_array(int* block, int, int beyond) {
  __shared__ int array[kCount];
  array[threadIdx.x] = 1;
  __syncthreads();
  block[threadIdx.x] = array[threadIdx.x == 0 ? kCount - 1 + beyond : threadIdx.x];
}
__global__ void writes_shared(int* block, int count, int beyond) {
  SHARED_BYTES(bytes);
  int* array = (int*)bytes;
  array[threadIdx.x == 0 ? count - 1 + beyond : threadIdx.x] = 1;
  __syncthreads();
  block[threadIdx.x] = array[threadIdx.x];
}
)"};
  // Under AddressSanitizer a block comes from malloc; guard bytes would be in its way.
  void* block = kChecked ? std::malloc(kBytes) : memory::allocate(kBytes);
  std::memset(block, 0, kBytes);
  int count = kCount;
  void* arguments[] = {&block, &count, &beyond, nullptr};
  card.launch(card.find(source), {.threads = {kCount, 1, 1}, .shared_bytes = shared_bytes},
              arguments, nullptr);
  if (kChecked)
    std::free(block);
  else
    memory::release(block, kBytes);
}

}  // namespace

TEST(EmulatedFaults, WhatIsRightPasses) {
  const int64_t before = memory::statistics().overruns;
  for (const char* function : {"writes", "reads", "reads_array<64>"}) run(function, 0);
  run("writes_shared", 0, kBytes);
  EXPECT_EQ(memory::statistics().overruns, before);
}

TEST(EmulatedFaults, AWriteBehindABlock) {
  if (kChecked) {
    EXPECT_DEATH(run("writes", 1), "heap-buffer-overflow");
    return;
  }
  if (!memory::guarded()) GTEST_SKIP() << "blocks have guard bytes only with ALULA_GUARD_BYTES";
  const int64_t before = memory::statistics().overruns;
  run("writes", 1);
  EXPECT_EQ(memory::statistics().overruns, before + 1);
}

TEST(EmulatedFaults, AReadBehindABlock) {
  if (!kChecked) GTEST_SKIP() << "reads are checked by AddressSanitizer";
  EXPECT_DEATH(run("reads", 1), "heap-buffer-overflow");
}

TEST(EmulatedFaults, AReadBehindAnArrayInSharedMemory) {
  if (!kChecked) GTEST_SKIP() << "shared memory is checked by AddressSanitizer";
  EXPECT_DEATH(run("reads_array<64>", 1), "global-buffer-overflow");
}

TEST(EmulatedFaults, AWriteBehindSharedMemory) {
  if (!kChecked) GTEST_SKIP() << "shared memory is checked by AddressSanitizer";
  EXPECT_DEATH(run("writes_shared", 1, kBytes), "heap-buffer-overflow");
}
