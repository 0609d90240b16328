// Copies through pinned memory, with a thread in the place of the copy engine: it copies late, so
// that memory that is used again too soon, or read before it is filled, shows.
#include "alula/backends/cuda/staging.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "alula/backends/cuda/fences.h"
#include "alula/core/error.h"
#include "alula/runtime/team.h"

using namespace alula;
using namespace alula::cuda;

namespace {

constexpr size_t kRound = CopyPlan::kRound, kPiece = CopyPlan::kPiece;

class LateQueue final : public CopyQueue {
 public:
  ~LateQueue() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    engine_.join();
  }

  std::byte* pinned(size_t bytes) override {
    memory_.push_back(std::make_unique<std::byte[]>(bytes));
    return memory_.back().get();
  }
  void put(void* to, const void* from, size_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (fail_at > 0 && --fail_at == 0) fail<InternalError>("the copy engine is gone");
    waiting_.push_back({to, from, bytes});
    most_ = std::max(most_, bytes);
    ++put_;
    changed_.notify_all();
  }
  void mark(int which) override {
    const std::lock_guard lock(mutex_);
    marks_.at(static_cast<size_t>(which)) = put_;
  }
  void wait(int which) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= marks_.at(static_cast<size_t>(which)); });
  }
  bool done(int which) override {
    const std::lock_guard lock(mutex_);
    return done_ >= marks_.at(static_cast<size_t>(which));
  }
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ == put_; });
  }
  int64_t copies() const { return put_; }
  size_t largest() const { return most_; }

  int fail_at = 0;  // the put that fails

 private:
  struct Copy {
    void* to;
    const void* from;
    size_t bytes;
  };

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Copy copy = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      std::memcpy(copy.to, copy.from, copy.bytes);
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Copy> waiting_;
  std::array<int64_t, kMarks> marks_{};
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  int64_t put_ = 0, done_ = 0;
  size_t most_ = 0;
  bool ending_ = false;
  std::thread engine_{[this] { work(); }};
};

std::vector<uint8_t> numbered(size_t count, uint32_t seed = 1) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<uint8_t>((i + seed) * 2654435761u >> 13);
  return bytes;
}

const std::vector<size_t> kSizes = {0,          1,          3,          kPiece - 1, kPiece,
                                    kPiece + 1, 8 * kPiece, 9 * kPiece, kRound - 1, kRound,
                                    kRound + 1, 4 * kRound, 37'000'001};

}  // namespace

TEST(Staging, PlansCoverACopyOnce) {
  for (size_t bytes :
       {size_t{1}, kPiece, kPiece + 1, 8 * kPiece, 8 * kPiece + 1, kRound - 1, kRound})
    for (int threads : {1, 2, 16, 200}) {
      const CopyPlan plan = plan_copy(bytes, threads);
      EXPECT_EQ(plan.chunk % kPiece, 0u) << bytes;
      EXPECT_LE(plan.chunks, CopyPlan::kMostChunks) << bytes;
      EXPECT_GE(static_cast<size_t>(plan.chunks) * plan.chunk, bytes);
      EXPECT_LT(static_cast<size_t>(plan.chunks - 1) * plan.chunk, bytes);
      EXPECT_GE(static_cast<size_t>(plan.workers) * plan.share, plan.chunk);
      EXPECT_LT(static_cast<size_t>(plan.workers - 1) * plan.share, plan.chunk);
      EXPECT_GE(plan.workers, 1);
      EXPECT_LE(plan.workers, threads);
    }
  EXPECT_EQ(plan_copy(kRound, 16).chunk, size_t{512} << 10);
  EXPECT_EQ(plan_copy(kRound, 16).workers, 16);
  EXPECT_EQ(plan_copy(kPiece, 16).workers, 1);
}

TEST(Staging, UploadsOfAnySizeArriveAndLeaveTheSourceFree) {
  LateQueue queue;
  Uploads uploads(queue);
  for (size_t bytes : kSizes) {
    const std::vector<uint8_t> expected = numbered(bytes);
    std::vector<uint8_t> from = expected, to(bytes);
    uploads.copy(to.data(), from.data(), bytes);
    std::fill(from.begin(), from.end(), uint8_t{0});
    queue.wait_for_all();
    EXPECT_TRUE(to == expected) << bytes;
  }
  EXPECT_LE(queue.largest(), kRound / CopyPlan::kMostChunks);
}

TEST(Staging, UploadsThatFollowOneAnotherDoNotMix) {
  LateQueue queue;
  Uploads uploads(queue);
  constexpr size_t kBytes = kRound / 4 + 5;
  std::vector<std::vector<uint8_t>> targets(20, std::vector<uint8_t>(kBytes));
  for (uint32_t i = 0; i < targets.size(); ++i)
    uploads.copy(targets[i].data(), numbered(kBytes, i).data(), kBytes);
  queue.wait_for_all();
  for (uint32_t i = 0; i < targets.size(); ++i) EXPECT_TRUE(targets[i] == numbered(kBytes, i)) << i;
}

TEST(Staging, DownloadsOfAnySizeArrive) {
  LateQueue queue;
  Downloads downloads(queue);
  for (size_t bytes : kSizes) {
    const std::vector<uint8_t> from = numbered(bytes);
    std::vector<uint8_t> to(bytes + 1, 77);
    downloads.copy(to.data(), from.data(), bytes);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << bytes;
    EXPECT_EQ(to.back(), 77) << bytes;
  }
}

TEST(Staging, SmallCopiesKeepTheirOrder) {
  LateQueue queue;
  SmallCopies small(queue);
  std::vector<uint8_t> to(SmallCopies::kMost), back(SmallCopies::kMost);
  for (uint32_t i = 0; i < 40; ++i) {
    const size_t bytes = i % 3 == 0 ? SmallCopies::kMost : 3 + i;
    std::vector<uint8_t> from = numbered(bytes, i);
    small.to_device(to.data(), from.data(), bytes);
    std::fill(from.begin(), from.end(), uint8_t{0});
    if (i % 7 == 0) {
      small.to_host(back.data(), to.data(), bytes);
      back.resize(bytes);
      EXPECT_TRUE(back == numbered(bytes, i)) << i;
      back.resize(SmallCopies::kMost);
    }
  }
  queue.wait_for_all();  // before its targets go
}

TEST(Staging, ThreadsShareIt) {
  LateQueue queue;
  Uploads uploads(queue);
  Downloads downloads(queue);
  std::vector<std::thread> threads;
  std::array<bool, 4> right{};
  for (uint32_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      const std::vector<uint8_t> from = numbered(3 * kRound / 2 + t, t);
      std::vector<uint8_t> there(from.size()), back(from.size());
      uploads.copy(there.data(), from.data(), from.size());
      downloads.copy(back.data(), there.data(), from.size());  // behind the upload, on one queue
      right[t] = back == from;
    });
  for (std::thread& thread : threads) thread.join();
  for (bool each : right) EXPECT_TRUE(each);
}

TEST(Staging, ACopyThatFailsIsAnErrorToGoOnFrom) {
  LateQueue queue;
  Uploads uploads(queue);
  const std::vector<uint8_t> from = numbered(2 * kRound);
  std::vector<uint8_t> to(from.size());
  queue.fail_at = 3;
  EXPECT_THROW(uploads.copy(to.data(), from.data(), from.size()), InternalError);
  queue.wait_for_all();
  uploads.copy(to.data(), from.data(), from.size());
  queue.wait_for_all();
  EXPECT_TRUE(to == from);
}

TEST(Fences, TellWhichReleasesTheStreamIsPast) {
  LateQueue queue;
  Fences fences(queue, 8);
  EXPECT_EQ(fences.passed(), 0u);
  std::byte from{}, to{};
  fences.set(3);  // nothing is on the queue
  EXPECT_EQ(fences.passed(), 3u);
  for (int i = 0; i < 200; ++i) queue.put(&to, &from, 1);
  fences.set(5);
  EXPECT_EQ(fences.passed(), 3u);
  queue.wait_for_all();
  EXPECT_EQ(fences.passed(), 5u);
  // More than can stand at a time: those left out are made up for later.
  for (uint64_t i = 6; i < 20; ++i) {
    for (int k = 0; k < 20; ++k) queue.put(&to, &from, 1);
    fences.set(i);
  }
  queue.wait_for_all();
  EXPECT_GE(fences.passed(), 5u + Fences::kMost);
  fences.set(20);
  EXPECT_EQ(fences.passed(), 20u);
}
