#pragma once
#include <cstdint>
#include <type_traits>

/// The threads that compute. One team a process: the caller and its helpers.
///
/// Helpers wait for the next job by spinning, then yielding, then sleeping, so that a job that
/// comes soon after another starts in a fraction of a microsecond and an idle team costs nothing. A
/// job within a job, or beside another thread's, runs in the thread that asked.
namespace alula::team {

/// The number of threads, the caller's included.
int size();
/// Changes it; 0 for one a core. Waits for a job that another thread runs; not from within one.
void set_size(int count);

/// Below about this many nanoseconds of work, waking a second thread costs more than it saves.
inline constexpr double kWorthSharing = 10'000;

/// While one lives, the jobs of this thread run in it alone: for threads that work beside the team.
class Alone {
 public:
  Alone();
  ~Alone();
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  bool before_;
};

namespace internal {
using Body = void (*)(void* context, int64_t begin, int64_t end);
void run(int64_t count, int64_t grain, Body body, void* context);
}  // namespace internal

/// Calls `body(begin, end)` for pieces that cover [0, count), some of them at once. `nanoseconds`
/// is the estimated work of one item. An exception thrown by a piece is thrown here, once all have
/// ended.
template <class F>
void parallel_for(int64_t count, double nanoseconds, F&& body) {
  if (count <= 0) return;
  if (count == 1 || static_cast<double>(count) * nanoseconds < kWorthSharing) {
    body(int64_t{0}, count);
    return;
  }
  // A piece is at least some microseconds of work.
  const auto grain = static_cast<int64_t>(0.5 * kWorthSharing / (nanoseconds + 1e-3)) + 1;
  internal::run(
      count, grain,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace alula::team
