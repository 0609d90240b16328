#include "alula/runtime/team.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "alula/core/error.h"
#include "alula/runtime/denormals.h"

namespace alula::team {
namespace {

constexpr size_t kLine = 64;  // a cache line: what one thread writes another should not share

thread_local bool t_in_job = false;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// What all members work on. A member takes the next piece until none is left.
struct Job {
  internal::Body body;
  void* context;
  int64_t count;
  int64_t piece;
  alignas(kLine) std::atomic<int64_t> next = 0;
  alignas(kLine) std::atomic<bool> failed = false;
  std::exception_ptr error = nullptr;

  void work() {
    t_in_job = true;
    for (;;) {
      const int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= count) break;
      try {
        body(context, begin, std::min(count, begin + piece));
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
        next.store(count, std::memory_order_relaxed);
      }
    }
    t_in_job = false;
  }
};

class Team {
 public:
  explicit Team(int size) {
    for (int i = 1; i < size; ++i) helpers_.emplace_back([this] { help(); });
  }

  ~Team() {
    ending_.store(true, std::memory_order_relaxed);
    start();
    for (std::thread& helper : helpers_) helper.join();
  }

  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Runs the job, or returns false because another thread's job is under way.
  bool run(Job& job) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    job_.store(&job);
    start();
    job.work();
    // A helper that has not come yet is not waited for: it finds the job gone.
    job_.store(nullptr);
    for (int spins = 0; inside_.load() != 0; ++spins)
      spins < kSpins ? pause() : std::this_thread::yield();
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  static constexpr int kSpins = 400;  // some 20 us of pauses

  void start() {
    round_.fetch_add(1);
    if (asleep_.load() != 0) round_.notify_all();
  }

  void help() {
    const FlushDenormals flush;
    uint32_t seen = 0;
    for (;;) {
      seen = await_round_after(seen);
      if (ending_.load(std::memory_order_relaxed)) return;
      // First inside, then look: `run` closes the job first, then looks who is inside.
      inside_.fetch_add(1);
      if (Job* job = job_.load()) job->work();
      inside_.fetch_sub(1, std::memory_order_release);
    }
  }

  /// Spins, then yields, then sleeps.
  uint32_t await_round_after(uint32_t seen) {
    uint32_t now = seen;
    for (int i = 0; i < kSpins; ++i) {
      if ((now = round_.load(std::memory_order_acquire)) != seen) return now;
      pause();
    }
    for (int i = 0; i < 100; ++i) {
      if ((now = round_.load(std::memory_order_acquire)) != seen) return now;
      std::this_thread::yield();
    }
    asleep_.fetch_add(1);
    while ((now = round_.load()) == seen) round_.wait(seen);
    asleep_.fetch_sub(1);
    return now;
  }

  alignas(kLine) std::atomic<uint32_t> round_ = 0;
  alignas(kLine) std::atomic<Job*> job_ = nullptr;
  alignas(kLine) std::atomic<int> inside_ = 0;
  alignas(kLine) std::atomic<int> asleep_ = 0;
  alignas(kLine) std::atomic<bool> busy_ = false;
  std::atomic<bool> ending_ = false;
  std::vector<std::thread> helpers_;
};

int cores() {
  cpu_set_t set;
  if (pthread_getaffinity_np(pthread_self(), sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::atomic<Team*> g_team = nullptr;
std::mutex g_mutex;

/// The team, made when it is first needed: loading the library starts no thread.
Team& team() {
  if (Team* team = g_team.load(std::memory_order_acquire)) return *team;
  const std::lock_guard lock(g_mutex);
  if (g_team.load() == nullptr) {
    g_team.store(new Team(cores()), std::memory_order_release);
    // Helpers do not exist in a forked child; it makes a team of its own.
    pthread_atfork(nullptr, nullptr, [] { g_team.store(nullptr); });
  }
  return *g_team.load();
}

/// Ends the helpers with the process, while what they touch still exists.
struct AtExit {
  ~AtExit() { delete g_team.exchange(nullptr); }
} g_at_exit;

}  // namespace

int size() { return team().size(); }

void set_size(int count) {
  require(count >= 0 && count <= 1024,
          "threads: the number must be between 0 (one a core) and 1024. Got {}.", count);
  const std::lock_guard lock(g_mutex);
  delete g_team.exchange(new Team(count == 0 ? cores() : count));
}

void internal::run(int64_t count, int64_t grain, Body body, void* context) {
  if (!t_in_job) {
    Team& members = team();
    // Four pieces a member even out what one of them is held up by.
    const int64_t piece = std::max(grain, (count + 4 * members.size() - 1) / (4 * members.size()));
    Job job{.body = body, .context = context, .count = count, .piece = piece};
    if (members.size() > 1 && piece < count && members.run(job)) {
      if (job.failed) std::rethrow_exception(job.error);
      return;
    }
  }
  body(context, 0, count);
}

}  // namespace alula::team
