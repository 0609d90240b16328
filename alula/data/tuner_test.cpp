#include "alula/data/tuner.h"

#include <gtest/gtest.h>

using namespace alula::data;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

constexpr int64_t kPlenty = int64_t{1} << 40;

/// A tuner on a clock of its own, and what it decides about.
struct Trial {
  Notes notes;
  std::shared_ptr<Budget> budget = std::make_shared<Budget>(kPlenty);
  Tuner tuner;
  Tuner::Clock::time_point now = Tuner::Clock::now();

  explicit Trial(const Tuner::Plan& plan, int64_t limit = kPlenty)
      : budget(std::make_shared<Budget>(limit)), tuner(plan, budget, notes) {}

  /// Items that cost so much each, read by somebody who takes so long; made by as many threads as
  /// the tuner has, of which so many make things faster.
  void run(int items, Tuner::Duration cost, Tuner::Duration reader, int64_t useful,
           int64_t bytes = 1) {
    for (int i = 0; i < items; ++i) {
      const Tuner::Duration each = cost / static_cast<double>(std::min(tuner.workers(), useful));
      const Tuner::Duration wait = std::max(Tuner::Duration(0), each - reader);
      now += std::chrono::duration_cast<Tuner::Clock::duration>(std::max(each, reader));
      tuner.took(wait, now, bytes, wait.count() == 0);
    }
  }
};

}  // namespace

TEST(Tuner, KeepsCheapWorkInTheReadersThread) {
  Trial trial({});
  for (int i = 0; i < 100; ++i) trial.tuner.made_inline(microseconds(5), microseconds(0));
  EXPECT_FALSE(trial.tuner.uses_threads());
  EXPECT_EQ(trial.notes.get(), "in the reader's thread: 5 us an item");
}

TEST(Tuner, KeepsWorkThatTheReaderHardlyNoticesInItsThread) {
  Trial trial({});
  for (int i = 0; i < 100; ++i) trial.tuner.made_inline(microseconds(150), milliseconds(20));
  EXPECT_FALSE(trial.tuner.uses_threads());
}

TEST(Tuner, DoesNotJudgeByTheFirstItem) {
  Trial trial({});
  trial.tuner.made_inline(milliseconds(500), microseconds(0));  // compiles something
  for (int i = 0; i < 20; ++i) trial.tuner.made_inline(microseconds(5), microseconds(0));
  EXPECT_FALSE(trial.tuner.uses_threads());
}

TEST(Tuner, IsNotMisledByAThreadThatWasHeldUp) {
  Trial trial({});
  for (int i = 0; i < 200; ++i)
    trial.tuner.made_inline(i % 3 == 0 ? milliseconds(2) : microseconds(5), microseconds(0));
  EXPECT_FALSE(trial.tuner.uses_threads());
}

TEST(Tuner, BeginsWithWhatTheLastWalkChose) {
  Notes notes;
  const auto budget = std::make_shared<Budget>(kPlenty);
  notes.choose({.workers = 3, .buffer = 12});
  const Tuner tuner({}, budget, notes);
  EXPECT_EQ(tuner.workers(), 3);
  EXPECT_EQ(tuner.buffer(), 12);
  const Tuner told({.workers = 2, .buffer = 5}, budget, notes);
  EXPECT_EQ(told.workers(), 2);
  EXPECT_EQ(told.buffer(), 5);
}

TEST(Tuner, AddsThreadsUntilTheReaderDoesNotWait) {
  Trial trial({});
  for (int i = 0; i < 5; ++i) trial.tuner.made_inline(milliseconds(4), milliseconds(1));
  ASSERT_TRUE(trial.tuner.uses_threads());
  trial.tuner.begin();
  trial.run(500, milliseconds(4), milliseconds(1), 16);
  EXPECT_EQ(trial.tuner.workers(), 4);
  EXPECT_GE(trial.tuner.buffer(), 5);
  EXPECT_NE(trial.notes.get().find("4 threads"), std::string::npos) << trial.notes.get();
}

TEST(Tuner, TakesBackAThreadThatMakesNothingFaster) {
  Trial trial({});
  for (int i = 0; i < 5; ++i) trial.tuner.made_inline(milliseconds(10), milliseconds(0));
  trial.tuner.begin();
  trial.run(300, milliseconds(10), milliseconds(0), 2);
  EXPECT_LE(trial.tuner.workers(), 3);  // two, or a third on trial
  EXPECT_GE(trial.tuner.workers(), 2);
}

TEST(Tuner, KeepsToWhatItWasTold) {
  Trial trial({.workers = 3, .buffer = 5});
  EXPECT_TRUE(trial.tuner.uses_threads());
  trial.tuner.begin();
  trial.run(500, milliseconds(10), milliseconds(0), 16);
  EXPECT_EQ(trial.tuner.workers(), 3);
  EXPECT_EQ(trial.tuner.buffer(), 5);
  EXPECT_EQ(trial.notes.get(), "3 threads, at most 5 items ahead");
}

TEST(Tuner, ShortensABufferThatGrewTooLargeForItsBudget) {
  Trial trial({.most_workers = 1}, 1000);
  for (int i = 0; i < 5; ++i) trial.tuner.made_inline(milliseconds(1), milliseconds(1));
  trial.tuner.begin();
  for (int i = 0; i < 2000; ++i) {  // full, and yet the reader waits: in bursts
    trial.now += milliseconds(1);
    trial.tuner.took(microseconds(500), trial.now, 10, true);
  }
  EXPECT_GT(trial.tuner.buffer(), 30);
  EXPECT_LE(trial.tuner.buffer(), 100);
  EXPECT_LE(trial.budget->used(), 1000);
  for (int i = 0; i < 200; ++i) {
    trial.now += milliseconds(1);
    trial.tuner.took(microseconds(500), trial.now, 200, true);
  }
  EXPECT_LE(trial.tuner.buffer(), 5);
  EXPECT_LE(trial.budget->used(), 1000);
}
