#include "alula/backends/simulated/arena.h"

#include <random>

#include "alula/testing/harness.h"

using namespace alula;
using simulated::Arena;

TEST(Arena, GivesBlocksThatDoNotOverlap) {
  Arena arena(4 << 20);
  std::map<std::byte*, size_t> blocks;
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    if (blocks.size() > 40 || (!blocks.empty() && random() % 3 == 0)) {
      const auto victim = std::next(blocks.begin(), random() % blocks.size());
      arena.release(victim->first, victim->second);
      blocks.erase(victim);
      continue;
    }
    const size_t bytes = random() % 20'000;
    auto* block = static_cast<std::byte*>(arena.allocate(bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % Arena::kAlignment, 0u);
    const auto after = blocks.lower_bound(block);
    if (after != blocks.end()) {
      EXPECT_LE(block + bytes, after->first);
    }
    if (after != blocks.begin()) {
      EXPECT_LE(std::prev(after)->first + std::prev(after)->second, block);
    }
    blocks.emplace(block, bytes);
  }
  for (const auto& [block, bytes] : blocks) arena.release(block, bytes);
  EXPECT_EQ(arena.in_use(), 0u);
  EXPECT_NE(arena.allocate(4 << 20), nullptr) << "the gaps have not become one again";
}

TEST(Arena, SaysWhenItIsFull) {
  Arena arena(64 << 10);
  void* first = arena.allocate(40 << 10);
  EXPECT_EQ(arena.allocate(32 << 10), nullptr);
  EXPECT_EQ(arena.allocate(~size_t{0}), nullptr);
  arena.release(first, 40 << 10);
  EXPECT_NE(arena.allocate(64 << 10), nullptr);
  EXPECT_EQ(arena.allocate(0), nullptr) << "every block has an address of its own";
}

TEST(Arena, KnowsItsAddresses) {
  Arena arena(1 << 16);
  auto* block = static_cast<std::byte*>(arena.allocate(1 << 16));
  std::byte* host = arena.host(block, 1 << 16);
  host[0] = std::byte{1};
  host[(1 << 16) - 1] = std::byte{2};
  EXPECT_EQ(arena.host(block + 100, 0) - host, 100);
  int outside = 0;
  EXPECT_ERROR(arena.host(&outside, 4), InternalError, "are not in the device's memory");
  EXPECT_ERROR(arena.host(block + 8, 1 << 16), InternalError, "65536 bytes at");
  EXPECT_ERROR(arena.host(block - 1, 1), InternalError, "are not in the device's memory");
  EXPECT_ERROR(arena.host(nullptr, 1), InternalError, "are not in the device's memory");
}

TEST(Arena, EndsWhoTouchesItFromTheHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Arena arena(1 << 16);
  auto* block = static_cast<volatile int*>(arena.allocate(64));
  EXPECT_DEATH((void)*block, "");
  EXPECT_DEATH(*block = 1, "");
}
