#include "alula/core/memory.h"

#include <cstring>
#include <thread>
#include <vector>

#include "alula/core/memory_source.h"
#include "alula/testing/harness.h"

using namespace alula;

namespace {

constexpr size_t kMiB = 1 << 20;

/// Sizes on both sides of every boundary: classes, small and large blocks, huge pages.
std::vector<size_t> sizes() {
  std::vector<size_t> sizes{0, 1, 3, 1000, 100'000, 5 * kMiB};
  for (size_t power = 32; power <= 4 * kMiB; power *= 2)
    for (size_t size : {power - 1, power, power + 1, power + power / 4, power + power / 4 + 1})
      sizes.push_back(size);
  for (size_t size : {(64 << 10) - 65, (64 << 10) - 64, (64 << 10) - 63}) sizes.push_back(size);
  return sizes;
}

}  // namespace

TEST(Memory, IsAlignedAndWritable) {
  for (size_t bytes : sizes()) {
    std::vector<void*> blocks;
    for (int i = 0; i < 3; ++i) {
      void* block = memory::allocate(bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % memory::kAlignment, 0u) << bytes;
      std::memset(block, i + 1, bytes);
      blocks.push_back(block);
    }
    for (int i = 0; i < 3; ++i) {
      const auto* block = static_cast<const char*>(blocks[i]);
      EXPECT_TRUE(bytes == 0 || (block[0] == i + 1 && block[bytes - 1] == i + 1)) << bytes;
      memory::release(blocks[i], bytes);
    }
  }
  EXPECT_EQ(memory::statistics().overruns, 0);
}

TEST(Memory, IsReused) {
  if (!memory::caching()) GTEST_SKIP() << "sanitized builds give every block back";
  for (size_t bytes : {size_t{100}, size_t{5000}, 3 * kMiB}) {
    void* block = memory::allocate(bytes);
    memory::release(block, bytes);
    EXPECT_EQ(memory::allocate(bytes), block) << bytes;
    memory::release(block, bytes);
  }
}

TEST(Memory, CountsLargeBlocks) {
  memory::trim();
  const memory::Statistics before = memory::statistics();
  EXPECT_EQ(before.cached, 0);
  void* block = memory::allocate(8 * kMiB);
  const memory::Statistics during = memory::statistics();
  EXPECT_GE(during.in_use - before.in_use, static_cast<int64_t>(8 * kMiB));
  EXPECT_LE(during.in_use - before.in_use, static_cast<int64_t>(10 * kMiB));
  memory::release(block, 8 * kMiB);
  const memory::Statistics after = memory::statistics();
  EXPECT_EQ(after.in_use, before.in_use);
  EXPECT_EQ(after.cached, memory::caching() ? during.in_use - before.in_use : 0);
  memory::trim();
  EXPECT_EQ(memory::statistics().cached, 0);
}

TEST(Memory, SaysWhenThereIsNotEnough) {
  // The first two would wrap around when rounded up or given guard bytes.
  for (size_t bytes : {SIZE_MAX, SIZE_MAX - 32, size_t{1} << 62, (size_t{1} << 46) + 1})
    EXPECT_ERROR(memory::allocate(bytes), ResourceExhaustedError,
                 fmt::format("memory: {} bytes are too many.", bytes));
  if (!memory::caching()) return;  // the sanitizers' allocators abort instead
  EXPECT_ERROR(memory::allocate(size_t{1} << 46), ResourceExhaustedError,
               "memory: the host has no ");
}

TEST(Memory, IsReleasedByAnyThread) {
  // One thread fills what another empties, so that blocks wander from one's cache to the other's.
  constexpr int kCount = 300;
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks(kCount);
    std::thread([&] {
      for (void*& block : blocks) std::memset(block = memory::allocate(200), 7, 200);
    }).join();  // its cache ends here, its blocks do not
    for (void* block : blocks) {
      EXPECT_EQ(static_cast<char*>(block)[199], 7);
      memory::release(block, 200);
    }
  }
}

TEST(Memory, ServesThreadsAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      std::vector<std::pair<char*, size_t>> held;
      uint32_t state = t + 1;
      for (int i = 0; i < 20'000; ++i) {
        state = state * 1664525u + 1013904223u;
        const size_t bytes = 1 + (state >> 8) % (i % 100 == 0 ? 200'000 : 3000);
        auto* block = static_cast<char*>(memory::allocate(bytes));
        block[0] = block[bytes - 1] = static_cast<char>(t);
        held.emplace_back(block, bytes);
        if (held.size() < 50) continue;
        for (auto [old, size] : held) {
          if (old[size - 1] != static_cast<char>(t)) ++wrong;
          memory::release(old, size);
        }
        held.clear();
      }
      for (auto [old, size] : held) memory::release(old, size);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(memory::statistics().overruns, 0);
}

namespace {

/// Releases a block when its thread ends: after the thread's cache if it was made before that.
struct ReleasedLate {
  void* block = nullptr;
  ~ReleasedLate() { memory::release(block, 100); }
};

}  // namespace

TEST(Memory, IsReleasedAfterItsThreadsCache) {
  std::thread([] {
    static thread_local ReleasedLate early;
    early.block = memory::allocate(100);
    memory::release(memory::allocate(100), 100);  // the cache is made now, and ends first
    static thread_local ReleasedLate late;
    late.block = memory::allocate(100);
  }).join();  // a leak would be told by the address sanitizer
}

/// The guard bytes are read from the environment when the process starts, so a child process writes
/// past the end of a block, and its exit status says whether that was found.
TEST(MemoryDeathTest, FindsAnOverrun) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer finds it first";
#endif
  if (!memory::guarded()) GTEST_SKIP() << "set ALULA_GUARD_BYTES=1 to run this";
  for (size_t bytes : {size_t{1}, size_t{100}, size_t{64 << 10}, 3 * kMiB})
    EXPECT_EXIT(
        {
          auto* block = static_cast<char*>(memory::allocate(bytes));
          block[bytes] = 1;
          memory::release(block, bytes);
          std::_Exit(memory::statistics().overruns == 1 ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

TEST(Memory, CopiesOfAnySizeArrive) {
  for (size_t bytes : {size_t{0}, size_t{1}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB + 3}) {
    std::vector<unsigned char> from(bytes), to(bytes + 1, 77);
    for (size_t i = 0; i < bytes; ++i) from[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
    memory::copy(to.data(), from.data(), bytes);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << bytes;
    EXPECT_EQ(to.back(), 77) << bytes;
  }
}
