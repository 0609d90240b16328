#include "alula/core/random.h"

#include <array>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using namespace alula;
using random::Philox;
using random::Stream;
using random::Words;

namespace {

/// The test vectors of the Random123 library, counters and keys lowest word first.
Words philox(Words counter, std::array<uint32_t, 2> key) {
  const auto pair = [](uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; };
  return Philox::words(pair(key[0], key[1]), pair(counter[2], counter[3]),
                       pair(counter[0], counter[1]));
}

bool same(const Stream& a, const Stream& b) {
  return a.key == b.key && a.high == b.high && a.low == b.low;
}

}  // namespace

TEST(Philox, GivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Stream, CountsUp) {
  const Stream stream{.key = 3, .high = 4, .low = 0xffffffff};
  EXPECT_EQ(stream.words(0), philox({0xffffffff, 0, 4, 0}, {3, 0}));
  EXPECT_EQ(stream.words(1), philox({0, 1, 4, 0}, {3, 0}));
}

TEST(Seeds, OfTheProgramAloneNumberTheCalls) {
  random::set_seed(1);
  const Stream first = random::reserve("op", float32, {}, 10);
  const Stream second = random::reserve("op", float32, {}, 10);
  EXPECT_EQ(first.key, 1u);
  EXPECT_FALSE(same(first, second));
  random::set_seed(1);
  EXPECT_TRUE(same(random::reserve("other", int32, {}, 1), first));  // only the order counts
  EXPECT_TRUE(same(random::reserve("op", float32, {}, 10), second));
  random::set_seed(2);
  EXPECT_EQ(random::reserve("op", float32, {}, 10).key, 2u);
}

TEST(Seeds, OfAnOpContinueItsSequence) {
  random::set_seed(1);
  EXPECT_TRUE(same(random::reserve("op", float32, 7, 10), {.key = 1, .high = 7, .low = 0}));
  EXPECT_TRUE(same(random::reserve("op", float32, 7, 10), {.key = 1, .high = 7, .low = 10}));
  // Another op, dtype or seed has its own.
  EXPECT_TRUE(same(random::reserve("other", float32, 7, 1), {.key = 1, .high = 7, .low = 0}));
  EXPECT_TRUE(same(random::reserve("op", float64, 7, 1), {.key = 1, .high = 7, .low = 0}));
  EXPECT_TRUE(same(random::reserve("op", float32, -7, 1),
                   {.key = 1, .high = static_cast<uint64_t>(-7), .low = 0}));
  random::set_seed(1);
  EXPECT_TRUE(same(random::reserve("op", float32, 7, 10), {.key = 1, .high = 7, .low = 0}));
}

TEST(Seeds, AreSharedByThreads) {
  random::set_seed(5);
  std::vector<std::vector<uint64_t>> drawn(4);
  std::vector<std::thread> threads;
  for (auto& mine : drawn)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) {
        mine.push_back(random::reserve("op", float32, {}, 1).high);
        random::reserve("op", float32, 3, 1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::set<uint64_t> all;
  for (const auto& mine : drawn) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000u);
  EXPECT_EQ(random::reserve("op", float32, 3, 1).low, 4000u);
}

/// In a process of its own, where nobody has set the global seed.
TEST(SeedsDeathTest, WithoutOneOfTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Stream seeded = random::reserve("op", float32, 5, 1);
        const Stream first = random::reserve("op", float32, {}, 1);
        const Stream second = random::reserve("op", float32, {}, 1);
        const bool right = same(seeded, {.key = 87654321, .high = 5, .low = 0}) &&
                           first.key == second.key && first.high != second.high &&
                           first.key != seeded.key;
        std::_Exit(right ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(ElementScope, NumbersDependOnKeysCallAndPositionAlone) {
  const random::ElementScope::Keys keys{.unseeded = 1, .seeded = 2};
  const auto draw = [&](uint64_t first, uint64_t count, uint64_t blocks) {
    const random::ElementScope scope(keys, first, count);
    return std::array{random::reserve("op", float32, {}, blocks),
                      random::reserve("op", float32, {}, blocks),
                      random::reserve("op", float32, 7, blocks)};
  };
  const auto one = draw(5, 1, 3), many = draw(4, 8, 24);
  for (size_t i = 0; i < one.size(); ++i)
    for (uint64_t block = 0; block < 3; ++block)
      EXPECT_EQ(one[i].words(block), many[i].words(3 + block));  // the second of the many
  EXPECT_NE(one[0].words(0), one[1].words(0));
  EXPECT_NE(one[0].words(0), one[2].words(0));
  EXPECT_NE(one[0].words(0), draw(6, 1, 3)[0].words(0));
}

TEST(ElementScope, EndsWithItsBlock) {
  random::set_seed(3);
  const random::Stream first = random::reserve("op", float32, {}, 1);
  random::set_seed(3);
  {
    const random::ElementScope scope({}, 0);
  }
  EXPECT_EQ(random::reserve("op", float32, {}, 1).words(0), first.words(0));
}

TEST(NewKey, IsFixedBySeeds) {
  EXPECT_NE(random::new_key("a"), random::new_key("a"));
  random::set_seed(1);
  const uint64_t first = random::new_key("a"), second = random::new_key("a");
  random::set_seed(1);
  EXPECT_EQ(random::new_key("a"), first);
  EXPECT_EQ(random::new_key("a"), second);
  EXPECT_NE(random::mix(1, 2), random::mix(2, 1));
}
