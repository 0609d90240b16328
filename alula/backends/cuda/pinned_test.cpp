// The host's pinned memory. Pinning itself is left out: no GPU is needed.
#include "alula/backends/cuda/pinned.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "alula/core/memory.h"
#include "alula/core/tensor.h"

using namespace alula;
using namespace alula::cuda;

namespace {

constexpr size_t kMiB = 1 << 20;

bool pin_nothing(void*, size_t) { return true; }

}  // namespace

TEST(Pinned, IsMadeInSlabsOnAThreadOfItsOwn) {
  PinnedMemory pinned(pin_nothing, {.limit = 32 * kMiB, .slab = 8 * kMiB});
  EXPECT_EQ(pinned.take(kMiB), nullptr);  // nobody waits for the first slab
  pinned.settle();
  EXPECT_EQ(pinned.pinned(), 8 * kMiB);
  void* block = pinned.take(kMiB);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, kMiB);
  EXPECT_TRUE(pinned.owns(block));
  int local = 0;
  EXPECT_FALSE(pinned.owns(&local));
  EXPECT_FALSE(pinned.owns(nullptr));
  EXPECT_EQ(pinned.in_use(), kMiB);
  pinned.give_back(block, kMiB);
  EXPECT_EQ(pinned.in_use(), 0u);
}

TEST(Pinned, GapsThatMeetBecomeOneWithinASlab) {
  PinnedMemory pinned(pin_nothing, {.limit = 32 * kMiB, .slab = 8 * kMiB});
  pinned.take(1);
  pinned.settle();
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pinned.take(kMiB));
  for (int i : {1, 0, 3, 2, 7, 6, 5, 4}) pinned.give_back(blocks[static_cast<size_t>(i)], kMiB);
  void* whole = pinned.take(8 * kMiB);
  EXPECT_NE(whole, nullptr);
  pinned.give_back(whole, 8 * kMiB);
  // A block larger than a slab gets one of its own: copies cannot cross from slab to slab.
  EXPECT_EQ(pinned.take(9 * kMiB), nullptr);
  pinned.settle();
  EXPECT_EQ(pinned.pinned(), 18 * kMiB);
  EXPECT_NE(pinned.take(9 * kMiB), nullptr);
}

TEST(Pinned, KeepsItsLimit) {
  PinnedMemory pinned(pin_nothing, {.limit = 16 * kMiB, .slab = 8 * kMiB});
  EXPECT_EQ(pinned.take(17 * kMiB), nullptr);
  pinned.settle();
  EXPECT_EQ(pinned.pinned(), 0u);
  EXPECT_FALSE(pinned.replaces(17 * kMiB));
  EXPECT_TRUE(pinned.replaces(16 * kMiB));
  pinned.settle();
  EXPECT_EQ(pinned.pinned(), 16 * kMiB);
  void* block = pinned.take(16 * kMiB);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(pinned.take(kMiB), nullptr);
  EXPECT_FALSE(pinned.replaces(kMiB));
}

TEST(Pinned, OrdinaryMemoryDoesWhereNothingCanBePinned) {
  std::atomic<int> tried = 0;
  PinnedMemory pinned([&](void*, size_t) { return ++tried, false; },
                      {.limit = 16 * kMiB, .slab = 8 * kMiB});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pinned.take(kMiB), nullptr);
    pinned.settle();
  }
  EXPECT_EQ(tried, 1);
  EXPECT_FALSE(pinned.replaces(kMiB));
}

TEST(Pinned, MakesNothingOnceStopped) {
  std::atomic<int> tried = 0;
  PinnedMemory pinned([&](void*, size_t) { return ++tried, true; }, {.limit = 16 * kMiB});
  pinned.stop();
  EXPECT_EQ(pinned.take(kMiB), nullptr);
  EXPECT_EQ(tried, 0);
}

TEST(Pinned, BlocksDoNotOverlapWhateverTheOrder) {
  PinnedMemory pinned(pin_nothing, {.limit = 64 * kMiB, .slab = 4 * kMiB});
  std::mt19937 random(1);
  struct Block {
    unsigned char* data;
    size_t bytes;
    unsigned char value;
  };
  std::vector<Block> blocks;
  for (int i = 0; i < 2000; ++i) {
    if (blocks.size() < 40 && random() % 3 != 0) {
      const size_t bytes = 1 + random() % (2 * kMiB);
      if (auto* data = static_cast<unsigned char*>(pinned.take(bytes))) {
        const auto value = static_cast<unsigned char>(i);
        data[0] = data[bytes / 2] = data[bytes - 1] = value;
        blocks.push_back({data, bytes, value});
      } else {
        pinned.settle();
      }
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const Block block = blocks.back();
      blocks.pop_back();
      EXPECT_TRUE(block.data[0] == block.value && block.data[block.bytes / 2] == block.value &&
                  block.data[block.bytes - 1] == block.value);
      pinned.give_back(block.data, block.bytes);
    }
  }
}

// What the plugin does when a card is first used.
TEST(Pinned, LargeTensorsLiveInIt) {
  if (!memory::caching()) GTEST_SKIP() << "sanitized builds take every block from the system";
  static auto* pinned = new PinnedMemory(pin_nothing, {.limit = 64 * kMiB, .slab = 8 * kMiB});
  const Tensor before = Tensor::uninitialized({float32, {1 << 18}});
  pinned->replaces(1);
  pinned->settle();
  memory::set_source(pinned);
  {
    const Tensor large = Tensor::uninitialized({float32, {1 << 18}});
    EXPECT_TRUE(pinned->owns(large.data()));
    const Tensor small = Tensor::uninitialized({float32, {100}});
    EXPECT_FALSE(pinned->owns(small.data()));
    const Tensor beyond = Tensor::uninitialized({float32, {1 << 25}});
    EXPECT_FALSE(pinned->owns(beyond.data()));
    EXPECT_FALSE(pinned->owns(before.data()));
    std::memset(const_cast<void*>(beyond.data()), 1, 1 << 20);
  }
  EXPECT_GT(pinned->in_use(), 0u);  // it waits for reuse
  memory::set_source(nullptr);
  EXPECT_EQ(pinned->in_use(), 0u);
}
