// A card's memory, with the host in the place of the card.
#include "alula/backends/cuda/allocator.h"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::cuda;

namespace {

constexpr size_t kMiB = 1 << 20;

/// Gives out addresses that nothing lies at, up to a number of bytes.
class FakeCard final : public CardMemory {
 public:
  explicit FakeCard(size_t bytes) : left_(bytes) {}
  void* take(size_t bytes) override {
    if (bytes > left_) return nullptr;
    left_ -= bytes;
    next_ += bytes + kMiB;
    taken_[reinterpret_cast<void*>(next_ - bytes)] = bytes;
    return reinterpret_cast<void*>(next_ - bytes);
  }
  void give_back(void* block) override {
    ASSERT_TRUE(taken_.contains(block));
    left_ += taken_[block];
    taken_.erase(block);
  }
  size_t free_bytes() const override { return left_; }
  size_t blocks() const { return taken_.size(); }

 private:
  size_t left_;
  uintptr_t next_ = 256 * kMiB;
  std::map<void*, size_t> taken_;
};

struct Memory {
  explicit Memory(size_t total, size_t limit = 0)
      : card(new FakeCard(total)), device(std::unique_ptr<CardMemory>(card), total, limit) {}
  FakeCard* card;
  DeviceMemory device;
};

}  // namespace

TEST(DeviceMemory, SizesAreRoundedByAQuarterAtMost) {
  EXPECT_EQ(rounded_size(0), 256u);
  EXPECT_EQ(rounded_size(257), 512u);
  for (size_t bytes : {size_t{1025}, size_t{5000}, 3 * kMiB + 1, size_t{1} << 34}) {
    EXPECT_GE(rounded_size(bytes), bytes);
    EXPECT_LE(rounded_size(bytes), bytes + bytes / 4 + 256);
    EXPECT_EQ(rounded_size(bytes) % 256, 0u);
    EXPECT_EQ(rounded_size(rounded_size(bytes)), rounded_size(bytes));
  }
}

TEST(DeviceMemory, ReleasedBlocksAreGivenOutAgain) {
  Memory memory(64 * kMiB);
  for (size_t bytes : {size_t{1}, size_t{1000}, size_t{100'000}, 5 * kMiB}) {
    void* first = memory.device.allocate(bytes);
    memory.device.release(first, bytes);
    EXPECT_EQ(memory.device.allocate(bytes), first) << bytes;
    memory.device.release(first, bytes);
  }
  EXPECT_EQ(memory.device.info().in_use, 0);
}

TEST(DeviceMemory, CountsWhatIsInUseAndTheMostThatWas) {
  Memory memory(64 * kMiB);
  void* a = memory.device.allocate(4 * kMiB);
  void* b = memory.device.allocate(2 * kMiB);
  memory.device.release(a, 4 * kMiB);
  EXPECT_EQ(memory.device.info().in_use, int64_t(2 * kMiB));
  EXPECT_EQ(memory.device.info().cached, int64_t(4 * kMiB));
  EXPECT_EQ(memory.device.info().peak, int64_t(6 * kMiB));
  EXPECT_EQ(memory.device.info().total, int64_t(64 * kMiB));
  memory.device.reset_peak();
  EXPECT_EQ(memory.device.info().peak, int64_t(2 * kMiB));
  memory.device.release(b, 2 * kMiB);
}

TEST(DeviceMemory, GivesBackAllThatIsNotInUse) {
  Memory memory(64 * kMiB);
  std::vector<void*> small;
  for (int i = 0; i < 30; ++i) small.push_back(memory.device.allocate(200'000));
  void* large = memory.device.allocate(5 * kMiB);
  EXPECT_GT(memory.card->blocks(), 3u);
  memory.device.release(large, 5 * kMiB);
  for (size_t i = 1; i < small.size(); ++i) memory.device.release(small[i], 200'000);
  memory.device.give_back_cache();
  EXPECT_EQ(memory.card->blocks(), 1u);  // the slab whose first block is in use
  void* again = memory.device.allocate(200'000);
  EXPECT_EQ(memory.card->blocks(), 1u);
  memory.device.release(again, 200'000);
  memory.device.release(small[0], 200'000);
  memory.device.give_back_cache();
  EXPECT_EQ(memory.card->blocks(), 0u);
  EXPECT_EQ(memory.device.info().cached, 0);
  EXPECT_NE(memory.device.allocate(100), nullptr);
}

TEST(DeviceMemory, TheCacheIsGivenBackBeforeARequestFails) {
  Memory memory(64 * kMiB);
  void* half = memory.device.allocate(32 * kMiB);
  memory.device.release(half, 32 * kMiB);
  void* more = memory.device.allocate(40 * kMiB);
  EXPECT_NE(more, nullptr);
  EXPECT_ERROR(memory.device.allocate(30 * kMiB), ResourceExhaustedError,
               "no memory for 31457280 bytes more");
  EXPECT_ERROR(memory.device.allocate(30 * kMiB), ResourceExhaustedError,
               "(the largest: 41943040)");
  EXPECT_ERROR(memory.device.allocate(size_t{1} << 60), ResourceExhaustedError, "no memory for");
  EXPECT_ERROR(memory.device.allocate_rested(size_t{1} << 60, 0), ResourceExhaustedError,
               "no memory");
  memory.device.release(more, 40 * kMiB);
  EXPECT_NE(memory.device.allocate(30 * kMiB), nullptr);
}

TEST(DeviceMemory, TheLimitIsKeptAndNamed) {
  Memory memory(64 * kMiB);
  memory.device.set_limit(8 * kMiB);
  EXPECT_EQ(memory.device.info().total, int64_t(8 * kMiB));
  void* block = memory.device.allocate(6 * kMiB);
  EXPECT_ERROR(memory.device.allocate(4 * kMiB), ResourceExhaustedError,
               "The limit set for this process is 8388608");
  EXPECT_ERROR(memory.device.set_limit(16 * kMiB), FailedPreconditionError,
               "before the GPU is used");
  memory.device.release(block, 6 * kMiB);
  EXPECT_NE(memory.device.allocate(4 * kMiB), nullptr);
  Memory limited(64 * kMiB, 2 * kMiB);
  EXPECT_ERROR(limited.device.allocate(4 * kMiB), ResourceExhaustedError, "is 2097152");
}

// A copy need not wait for kernels if its block is one that no kernel uses any more.
TEST(DeviceMemory, UploadsGetBlocksThatRest) {
  Memory memory(64 * kMiB);
  const size_t bytes = kMiB;
  const DeviceMemory::Rested first = memory.device.allocate_rested(bytes, 0);
  EXPECT_EQ(first.released, 0u);  // new
  memory.device.release(first.block, bytes);
  EXPECT_EQ(memory.device.releases(), 1u);
  // The stream is not known to be past the release: a new one.
  const DeviceMemory::Rested second = memory.device.allocate_rested(bytes, 0);
  EXPECT_NE(second.block, first.block);
  EXPECT_EQ(second.released, 0u);
  memory.device.release(second.block, bytes);
  // It is past the first release.
  const DeviceMemory::Rested third = memory.device.allocate_rested(bytes, 1);
  EXPECT_EQ(third.block, first.block);
  EXPECT_EQ(third.released, 1u);
  // Kernels take what was released last, which is still in the card's cache.
  memory.device.release(third.block, bytes);
  EXPECT_EQ(memory.device.allocate(bytes), first.block);
}

TEST(DeviceMemory, FewBlocksWaitForUploads) {
  Memory memory(64 * kMiB);
  for (int i = 0; i < 20; ++i) {
    const DeviceMemory::Rested rested = memory.device.allocate_rested(kMiB, 0);
    memory.device.release(rested.block, kMiB);
  }
  EXPECT_EQ(memory.card->blocks(), 3u);
  // Where the card has no more, what there is must do, rested or not.
  Memory full(8 * kMiB);
  const DeviceMemory::Rested only = full.device.allocate_rested(6 * kMiB, 0);
  full.device.release(only.block, 6 * kMiB);
  EXPECT_EQ(full.device.allocate_rested(6 * kMiB, 0).released, 1u);
}
