#include "alula/data/tuner.h"

#include <algorithm>

#include <fmt/format.h>

namespace alula::data {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Items that cost less are made sooner where they are read, by the whole team and into caches that
/// the reader shares, than handed over from another thread.
constexpr Tuner::Duration kWorthAThread = microseconds(100);
/// A reader that is away much longer than an item takes would hardly gain.
constexpr double kHardlyAnything = 0.02;

constexpr int64_t kWindowItems = 8;
constexpr Tuner::Duration kWindowTime = milliseconds(10);
/// A reader that waits a smaller part of its time is not waiting.
constexpr double kWaits = 0.01;
/// What a thread must add to stay, and for how many windows none is tried after one that did not.
constexpr double kWorthIt = 1.04;
constexpr int64_t kPause = 40;

}  // namespace

Tuner::Tuner(const Plan& plan, std::shared_ptr<Budget> budget, Notes& notes)
    : plan_(plan),
      budget_(std::move(budget)),
      notes_(notes),
      workers_(plan.workers == AUTOTUNE ? 0 : plan.workers),
      buffer_(plan.buffer == AUTOTUNE ? std::max<int64_t>(2, 2 * workers_) : plan.buffer) {
  if (plan.workers != AUTOTUNE) return;
  const Notes::Choice last = notes.choice();
  workers_ = std::min(last.workers, plan.most_workers);
  if (plan.buffer == AUTOTUNE) buffer_ = std::max(last.buffer, buffer_);
}

void Tuner::made_inline(Duration cost, Duration away) {
  const int64_t item = inline_items_++;
  if (item == 0) return;
  const auto place = static_cast<size_t>(item) % costs_.size();
  costs_[place] = cost;
  away_[place] = away;
  if (item < std::ssize(costs_)) return;
  // The least of some: a thread that was held up once says nothing about its work.
  const Duration least = *std::min_element(costs_.begin(), costs_.end());
  const Duration reader = *std::min_element(away_.begin(), away_.end());
  if (least > kWorthAThread && least > kHardlyAnything * reader) workers_ = 1;
  if (item == std::ssize(costs_) || uses_threads()) note();
}

void Tuner::begin() {
  window_ = {.start = Clock::now()};
  buffer_ = std::max(buffer_, plan_.buffer == AUTOTUNE ? workers_ + 1 : workers_);
  note();
}

void Tuner::took(Duration waited, Clock::time_point now, int64_t bytes, bool buffer_was_full) {
  item_bytes_ = std::max(bytes, item_bytes_ - item_bytes_ / 16);
  ++window_.items;
  window_.waited += waited;
  window_.was_full = window_.was_full || buffer_was_full;
  const Duration elapsed = now - window_.start;
  if (window_.items < kWindowItems || elapsed < kWindowTime) return;
  judge(elapsed);
  window_ = {.start = now};
  ++windows_;
}

void Tuner::judge(Duration elapsed) {
  const double waiting = window_.waited / elapsed;
  const int64_t workers = workers_, buffer = buffer_;
  if (plan_.workers == AUTOTUNE)
    judge_workers(waiting, static_cast<double>(window_.items) / elapsed.count());
  if (plan_.buffer == AUTOTUNE) judge_buffer(waiting);
  hold(buffer_ * item_bytes_);
  if (workers != workers_ || buffer != buffer_) note();
}

void Tuner::judge_workers(double waiting, double rate) {
  if (on_trial_) {
    on_trial_ = false;
    if (rate < kWorthIt * rate_before_) {
      --workers_;
      no_trial_before_ = windows_ + kPause;
    }
    return;
  }
  const bool may = workers_ < plan_.most_workers && windows_ >= no_trial_before_ &&
                   budget_->has_room_for(2 * item_bytes_);
  if (waiting <= kWaits || !may) return;
  ++workers_;
  on_trial_ = true;
  rate_before_ = rate;
}

/// Longer if it was full and ran empty; shorter where items have become too large for the budget.
void Tuner::judge_buffer(double waiting) {
  if (waiting > kWaits && window_.was_full) buffer_ *= 2;
  const int64_t least = workers_ + 1;
  while (buffer_ > least && !budget_->has_room_for(buffer_ * item_bytes_ - held_)) buffer_ /= 2;
  buffer_ = std::max(buffer_, least);
}

void Tuner::hold(int64_t bytes) {
  budget_->take(bytes - held_);
  held_ = bytes;
}

void Tuner::note() {
  const auto counted = [](int64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  if (plan_.workers == AUTOTUNE) notes_.choose({workers_, buffer_});
  if (!uses_threads())
    notes_.set(fmt::format("in the reader's thread: {:.0f} us an item",
                           1e6 * std::min_element(costs_.begin(), costs_.end())->count()));
  else
    notes_.set(fmt::format("{}, at most {} ahead{}", counted(workers_, "thread"),
                           counted(buffer_, "item"),
                           plan_.workers == AUTOTUNE ? "; chosen by AUTOTUNE" : ""));
}

}  // namespace alula::data
