#include "alula/runtime/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <vector>

#include "alula/core/error.h"
#include "alula/core/log.h"
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

/// What all members work on. Each has a share of the pieces, the same one whenever a job is as
/// large, so that what it wrote in one job it finds in its own cache in the next. A member that has
/// done its share takes pieces of the others'.
struct Job {
  static constexpr int kMostShares = 16;
  struct alignas(kLine) Share {
    std::atomic<int64_t> next = 0;
    int64_t end = 0;
  };

  internal::Body body;
  void* context;
  int64_t count;
  int64_t piece;
  int shares;
  Share all[kMostShares];
  alignas(kLine) std::atomic<bool> failed = false;
  std::exception_ptr error = nullptr;

  Job(internal::Body body, void* context, int64_t count, int64_t piece, int members)
      : body(body),
        context(context),
        count(count),
        piece(piece),
        shares(std::min(members, kMostShares)) {
    const int64_t pieces = (count + piece - 1) / piece;
    for (int i = 0; i < shares; ++i) {
      all[i].next.store(pieces * i / shares, std::memory_order_relaxed);
      all[i].end = pieces * (i + 1) / shares;
    }
  }

  void work(int member) {
    t_in_job = true;
    for (int i = 0; i < shares; ++i) work_on(all[(member + i) % shares]);
    t_in_job = false;
  }

 private:
  void work_on(Share& share) {
    while (!failed.load(std::memory_order_relaxed)) {
      const int64_t taken = share.next.fetch_add(1, std::memory_order_relaxed);
      if (taken >= share.end) break;
      try {
        body(context, taken * piece, std::min(count, (taken + 1) * piece));
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  }
};

class Team {
 public:
  explicit Team(int size) {
    try {
      for (int i = 1; i < size; ++i) helpers_.emplace_back([this, i] { help(i); });
    } catch (const std::system_error& error) {
      logging::warn("threads: the system gives {} of the {} asked for: {}.", this->size(), size,
                    error.what());
    }
  }

  /// Ends the helpers, unless a job is under way. The team itself stays, busy for ever: a thread
  /// that has just looked it up runs its job alone.
  bool close() {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    ending_.store(true, std::memory_order_relaxed);
    start();
    for (std::thread& helper : helpers_) helper.join();
    return true;
  }

  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Runs the job, or returns false because another thread's job is under way.
  bool run(Job& job) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    job_.store(&job);
    start();
    job.work(0);
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

  void help(int member) {
    const FlushDenormals flush;
    uint32_t seen = 0;
    for (;;) {
      seen = await_round_after(seen);
      if (ending_.load(std::memory_order_relaxed)) return;
      // First inside, then look: `run` closes the job first, then looks who is inside.
      inside_.fetch_add(1);
      if (Job* job = job_.load()) job->work(member);
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

 public:
  Team* before = nullptr;  // the list of the teams that are no longer used
};

int cores() {
  cpu_set_t set;
  if (pthread_getaffinity_np(pthread_self(), sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::atomic<Team*> g_team = nullptr;
std::mutex g_mutex;  // held by whoever replaces the team
Team* g_retired = nullptr;

/// Makes `next` the team; `next` may be none.
void replace(Team* next) {
  Team* last = g_team.exchange(next, std::memory_order_acq_rel);
  if (last == nullptr) return;
  last->before = g_retired;
  g_retired = last;
}

/// Helpers do not exist in a forked child: it makes a team of its own.
void prepare_for_forks() {
  static const int registered = pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); },
                                               [] { replace(nullptr), g_mutex.unlock(); });
  (void)registered;
}

/// The team, made when it is first needed: loading the library starts no thread.
Team& team() {
  if (Team* team = g_team.load(std::memory_order_acquire)) return *team;
  const std::lock_guard lock(g_mutex);
  if (g_team.load() == nullptr) {
    prepare_for_forks();
    replace(new Team(cores()));
  }
  return *g_team.load();
}

/// Ends the helpers with the process. Where another thread still computes then, they go on until
/// the process is gone: what they touch is never deleted.
struct AtExit {
  ~AtExit() {
    if (Team* team = g_team.load()) team->close();
  }
} g_at_exit;

}  // namespace

int size() { return team().size(); }

void set_size(int count) {
  require(count >= 0 && count <= 1024,
          "threads: the number must be between 0 (one a core) and 1024. Got {}.", count);
  require<FailedPreconditionError>(!t_in_job,
                                   "threads: the number cannot be changed within a job.");
  Team* last = nullptr;
  {
    const std::lock_guard lock(g_mutex);
    prepare_for_forks();
    last = g_team.load();
    replace(new Team(count == 0 ? cores() : count));
  }
  while (last != nullptr && !last->close()) std::this_thread::yield();
}

Alone::Alone() : before_(t_in_job) { t_in_job = true; }
Alone::~Alone() { t_in_job = before_; }

void internal::run(int64_t count, int64_t grain, Body body, void* context) {
  if (!t_in_job) {
    Team& members = team();
    // Four pieces a member even out what one of them is held up by.
    const int64_t piece = std::max(grain, (count + 4 * members.size() - 1) / (4 * members.size()));
    if (members.size() > 1 && piece < count) {
      Job job(body, context, count, piece, members.size());
      if (members.run(job)) {
        if (job.failed) std::rethrow_exception(job.error);
        return;
      }
    }
  }
  body(context, 0, count);
}

}  // namespace alula::team
