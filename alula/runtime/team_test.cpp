#include "alula/runtime/team.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

#include "alula/runtime/denormals.h"
#include "alula/testing/harness.h"

using namespace alula;

namespace {

constexpr double kCostly = 1e6;  // nanoseconds an item: always worth sharing

/// Sets the number of threads for one test.
class Team : public ::testing::Test {
 protected:
  void TearDown() override { team::set_size(0); }
};

/// Fails unless every item of a job is done once. The counters are plain: the thread sanitizer sees
/// whether they are the caller's again when the job has ended.
void check_every_item(int64_t count, double nanoseconds) {
  std::vector<int> done(count, 0);
  team::parallel_for(count, nanoseconds, [&](int64_t begin, int64_t end) {
    EXPECT_LT(begin, end);
    for (int64_t i = begin; i < end; ++i) ++done[i];
  });
  for (int64_t i = 0; i < count; ++i) ASSERT_EQ(done[i], 1) << "item " << i << " of " << count;
}

/// Runs a job that only ends when `count` threads are in it.
void meet(int count) {
  std::atomic<int> here = 0;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  team::parallel_for(count, kCostly, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(end, begin + 1);
    ++here;
    while (here < count && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  });
  EXPECT_EQ(here, count);
}

/// How a forked child ends that runs `body` and then exits as a program does.
int status_of_child(void (*body)()) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that hangs is ended
    body();
    std::exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

}  // namespace

TEST_F(Team, DoesEveryItemOnce) {
  for (int size : {1, 2, 3, 8}) {
    team::set_size(size);
    EXPECT_EQ(team::size(), size);
    for (int64_t count : {0, 1, 2, 3, 7, 8, 9, 100, 1001, 100'000})
      for (double nanoseconds : {0.0, 0.1, 100.0, kCostly}) check_every_item(count, nanoseconds);
  }
}

TEST_F(Team, AllMembersWork) {
  for (int size : {2, 3, 5}) {
    team::set_size(size);
    for (int i = 0; i < 20; ++i) meet(size);
  }
}

TEST_F(Team, SleepingMembersWakeUp) {
  team::set_size(3);
  for (int i = 0; i < 20; ++i) {
    meet(3);
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 4));  // long enough to fall asleep
  }
}

TEST_F(Team, SmallWorkStaysInItsThread) {
  team::set_size(4);
  int calls = 0;
  team::parallel_for(100, 1.0, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(Team, AnExceptionComesBackOnceAllHaveEnded) {
  team::set_size(4);
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> inside = 0;
    const auto job = [&] {
      team::parallel_for(64, kCostly, [&](int64_t begin, int64_t) {
        ++inside;
        if (begin % 3 == 0) {
          --inside;
          fail<InvalidArgumentError>("job: piece {}.", begin);
        }
        std::this_thread::yield();
        --inside;
      });
    };
    EXPECT_ERROR(job(), InvalidArgumentError, "job: piece ");
    EXPECT_EQ(inside, 0);
  }
  check_every_item(1000, kCostly);
}

TEST_F(Team, AJobWithinAJobIsSerial) {
  team::set_size(4);
  std::atomic<int64_t> sum = 0;
  team::parallel_for(16, kCostly, [&](int64_t begin, int64_t end) {
    const std::thread::id self = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i)
      team::parallel_for(100, kCostly, [&](int64_t inner_begin, int64_t inner_end) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        sum += inner_end - inner_begin;
      });
  });
  EXPECT_EQ(sum, 1600);
}

TEST_F(Team, AThreadCanWorkAlone) {
  team::set_size(4);
  const std::thread::id self = std::this_thread::get_id();
  {
    const team::Alone alone;
    team::parallel_for(1000, kCostly,
                       [&](int64_t, int64_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
  }
  meet(4);  // from here on, with the others again
}

TEST_F(Team, TwoCallersAtOnce) {
  team::set_size(3);
  const auto work = [] {
    for (int i = 0; i < 500; ++i) check_every_item(200, kCostly);
  };
  std::thread other(work);
  work();
  other.join();
}

TEST_F(Team, ASecondCallerDoesNotWait) {
  team::set_size(2);
  team::parallel_for(2, kCostly, [&](int64_t begin, int64_t) {
    if (begin != 0) return;
    std::thread other([] { check_every_item(100, kCostly); });
    other.join();  // would never end if the other waited for this job
  });
}

TEST_F(Team, ItsSizeMayChangeWhileOthersCompute) {
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) check_every_item(100, kCostly);
  });
  for (int i = 0; i < 100; ++i) {
    team::set_size(i % 5 + 1);
    check_every_item(50, kCostly);
  }
  stop = true;
  other.join();
}

TEST_F(Team, RefusesBadSizes) {
  EXPECT_ERROR(team::set_size(-1), InvalidArgumentError, "between 0 (one a core) and 1024. Got -1");
  EXPECT_ERROR(team::set_size(5000), InvalidArgumentError, "Got 5000.");
  team::set_size(2);
  EXPECT_ERROR(team::parallel_for(2, kCostly, [](int64_t, int64_t) { team::set_size(3); }),
               FailedPreconditionError, "cannot be changed within a job");
  EXPECT_EQ(team::size(), 2);
}

TEST_F(Team, FlushesDenormals) {
  volatile float tiny = std::numeric_limits<float>::min();
  EXPECT_NE(tiny * 0.5f, 0.f);
  {
    const FlushDenormals flush;
    EXPECT_EQ(tiny * 0.5f, 0.f);
    const FlushDenormals again;
    EXPECT_EQ(tiny * 0.5f, 0.f);
  }
  EXPECT_NE(tiny * 0.5f, 0.f) << "the caller's mode is as it was";
  team::set_size(3);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> here = 0;
  team::parallel_for(3, kCostly, [&](int64_t, int64_t) {
    ++here;
    while (here < 3) std::this_thread::yield();
    if (std::this_thread::get_id() != caller) {
      EXPECT_EQ(tiny * 0.5f, 0.f);
    }
  });
}

TEST_F(Team, AForkedChildHasATeamOfItsOwn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts a thread";
#endif
  const auto compute = [] {
    check_every_item(1000, kCostly);
    team::set_size(2);
    meet(2);
  };
  team::set_size(3);  // makes the team, before anything else has
  // AddressSanitizer does not let a child start threads that was forked while others started.
  meet(3);
  EXPECT_EQ(status_of_child(compute), 0);
  meet(3);
  EXPECT_EQ(status_of_child([] {}), 0) << "a child that never computes ends, too";

  std::atomic<bool> stop = false;
  std::thread busy([&] {  // takes no memory: it would be the child's leak
    while (!stop) team::parallel_for(100, kCostly, [](int64_t, int64_t) {});
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of_child(compute), 0);
  stop = true;
  busy.join();
}

TEST_F(Team, TheProcessMayEndWhileItComputes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        alarm(60);
        team::set_size(3);
        std::thread([] {
          for (;;) team::parallel_for(100, kCostly, [](int64_t, int64_t) {});
        }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}
