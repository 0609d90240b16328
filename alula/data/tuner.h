#pragma once
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "alula/data/budget.h"

namespace alula::data {

/// A number that Alula chooses, and adjusts while a pipeline runs.
inline constexpr int64_t AUTOTUNE = -1;

/// What a step's walks have found out: how it runs, for `explain`, and what AUTOTUNE chose, which
/// the next walk begins with.
class Notes {
 public:
  struct Choice {
    int64_t workers = 0;
    int64_t buffer = 0;
  };
  void choose(const Choice& choice) {
    const std::lock_guard lock(mutex_);
    choice_ = choice;
  }
  Choice choice() const {
    const std::lock_guard lock(mutex_);
    return choice_;
  }
  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }
  std::string get() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
  Choice choice_;
};

/// Decides how many threads work ahead of a reader, and how far, from how long the reader waits.
///
/// It begins without threads, in the reader's own: work that takes less time than handing it over
/// stays there. Then threads are added one at a time for as long as the reader waits and each one
/// makes items come faster; a buffer that was full and still ran empty is doubled, within the
/// budget.
class Tuner {
 public:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::duration<double>;

  struct Plan {
    int64_t workers = AUTOTUNE;
    int64_t most_workers = 64;
    int64_t buffer = AUTOTUNE;  // items, in work or done
    bool deterministic = true;
  };
  Tuner(const Plan& plan, std::shared_ptr<Budget> budget, Notes& notes);
  ~Tuner() { budget_->give(held_); }
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  const Plan& plan() const { return plan_; }
  bool uses_threads() const { return workers_ > 0; }
  int64_t workers() const { return workers_; }
  int64_t buffer() const { return buffer_; }

  /// An item was made in the reader's thread, in that time; the reader was away so long before.
  void made_inline(Duration cost, Duration away);
  /// From here on, items come from threads.
  void begin();
  /// The reader took an item, for which it had waited so long.
  void took(Duration waited, Clock::time_point now, int64_t bytes, bool buffer_was_full);

 private:
  struct Window {
    Clock::time_point start;
    int64_t items = 0;
    Duration waited = {};
    bool was_full = false;
  };
  void judge(Duration elapsed);
  void judge_workers(double waiting, double rate);
  void judge_buffer(double waiting);
  void hold(int64_t bytes);
  void note();

  Plan plan_;
  std::shared_ptr<Budget> budget_;
  Notes& notes_;
  int64_t workers_;
  int64_t buffer_;
  int64_t inline_items_ = 0;
  std::array<Duration, 4> costs_ = {};  // of the last items, and how long the reader was away
  std::array<Duration, 4> away_ = {};
  int64_t item_bytes_ = 0;
  int64_t held_ = 0;  // of the budget: what a full buffer takes
  Window window_;
  int64_t windows_ = 0;
  bool on_trial_ = false;
  double rate_before_ = 0;
  int64_t no_trial_before_ = 0;
};

}  // namespace alula::data
